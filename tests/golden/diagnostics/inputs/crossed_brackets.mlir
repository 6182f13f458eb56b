func.func @crossed(%src: memref<64xi32>, %i: index) {
  %x = ave.hir.vload <NORM> %src[(%i] : memref<64xi32> into vector<64xi32>
  return
}
