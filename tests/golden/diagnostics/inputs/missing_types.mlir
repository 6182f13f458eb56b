func.func @f(%src: memref<256xi8>, %i: index) {
  %m = ave.hir.pge <ALL>
  %x = ave.hir.vload <NORM> %src[%i] : memref<256xi8> into
  return
}
