func.func @f(%b32: memref<64xf32>, %b16: memref<1024xf16>, %b8: memref<256xi8>, %h: f16, %n: index) {
  %c0 = arith.constant 0 : index
  %x = ave.hir.vload <NORM> %b32[%c0] : memref<64xf32> into vector<64xf32>
  %y = ave.hir.vload <NORM> %b16[%c0] : memref<1024xf16> into vector<64xf16>
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %k = ave.hir.pge <ALL> : vector<64xi1>
  ave.hir.masked_store <NORM_B32> %b32[%c0], %m, %x : memref<64xf32>, vector<64xi1>, vector<64xf32>
  ave.hir.store_with_stride %b16[%c0], %n, %m, %y : memref<1024xf16>, vector<64xi1>, vector<64xf16>
  %p = ave.hir.vcmps <GT> %y, %h, %k : vector<64xf16>, f16, vector<64xi1> -> vector<64xi1>
  %a = ave.hir.vabs %x, %p : vector<64xf32>, vector<64xi1>
  return
}
