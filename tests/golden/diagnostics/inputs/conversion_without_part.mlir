func.func @f(%src: memref<64xi8>, %dst: memref<64xi16>, %i: index) {
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %src[%i] : memref<64xi8> into vector<64xi8>
  %y = ave.hir.vextsi %x, %m : vector<64xi8>, vector<64xi16>, vector<64xi1>
  ave.hir.masked_store <NORM_B16> %dst[%i], %m, %y : memref<64xi16>, vector<64xi1>, vector<64xi16>
  return
}
