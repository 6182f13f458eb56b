func.func @f(%b: memref<64xi8>, %i: index) {
  %x = ave.hir.vload <UNPAK_B8> %b[%i] : memref<64xi8> into vector<64xi8>
  return
}
