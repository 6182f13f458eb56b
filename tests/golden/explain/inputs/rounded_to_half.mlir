func.func @f(%b32: memref<64xf32>, %b16: memref<1024xf16>, %b8: memref<256xi8>, %h: f16, %n: index) {
  %c0 = arith.constant 0 : index
  %x = ave.hir.vload <NORM> %b32[%c0] : memref<64xf32> into vector<64xf32>
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %r = ave.hir.vtrc %x, <rint>, %m : vector<64xf32>, vector<64xi1>, vector<64xf16>
  ave.hir.masked_store <NORM_B16> %b16[%c0], %m, %r : memref<1024xf16>, vector<64xi1>, vector<64xf16>
  return
}
