func.func @f(%src: memref<64xf32>, %i: index) {
  %x = ave.hir.vload <NORM> %src[%i] : memref<64xf32> into vector<64xf32>
  %y = ave.hir.vsqrt %x, %x : vector<64xf32>, vector<64xf32>
  return
}
