func.func @f(%src: memref<64xf32>, %dst: memref<64xf16>, %i: index) {
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %src[%i] : memref<64xf32> into vector<64xf32>
  %h = ave.hir.vtrc %x, <rint>, %m : vector<64xf32>, vector<64xi1>, vector<64xf16>
  ave.hir.masked_store <NORM_B16> %dst[%i], %m, %h : memref<64xf16>, vector<64xi1>, vector<64xf16>
  return
}
