func.func @f(%m: vector<64xi1>, %b32: memref<64xf32>, %b16: memref<1024xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %x = ave.hir.vload <NORM> %b32[%c0] : memref<64xf32> into vector<64xf32>
  %y = ave.hir.vload <NORM> %b16[%c0] : memref<1024xf16> into vector<64xf16>
  ave.hir.masked_store <NORM_B32> %b32[%c0], %m, %x : memref<64xf32>, vector<64xi1>, vector<64xf32>
  ave.hir.store_with_stride %b16[%c0], %n, %m, %y : memref<1024xf16>, vector<64xi1>, vector<64xf16>
  return
}
