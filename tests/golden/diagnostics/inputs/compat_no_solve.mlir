func.func @f(%src: memref<64xi32>, %dst: memref<64xi16>, %i: index) {
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %src[%i] : memref<64xi32> into vector<64xi32>
  %h = ave.hir.vtrc %x, <rint>, %m : vector<64xi32>, vector<64xi1>, vector<64xi16>
  ave.hir.masked_store <NORM_B16> %dst[%i], %m, %h : memref<64xi16>, vector<64xi1>, vector<64xi16>
  return
}
