func.func @f(%b32: memref<64xf32>, %b16: memref<1024xf16>, %b8: memref<256xi8>, %h: f16, %n: index) {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %b32[%c0] : memref<64xf32> into vector<64xf32>
  %y = ave.hir.vload <NORM> %b16[%c0] : memref<1024xf16> into vector<64xf16>
  %a = ave.hir.vabs %x, %m : vector<64xf32>, vector<64xi1>
  ave.hir.store_with_stride %b16[%c0], %n, %m, %y : memref<1024xf16>, vector<64xi1>, vector<64xf16>
  return
}
