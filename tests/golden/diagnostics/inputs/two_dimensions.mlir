func.func @f(%src: memref<4x16xf32>, %i: index) {
  %x = ave.hir.vload <NORM> %src[%i, %i] : memref<4x16xf32> into vector<4x16xf32>
  return
}
