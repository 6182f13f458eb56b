func.func @f(%src: memref<1024xf16>, %dst: memref<1024xf16>, %n: index, %i: index) {
  %m, %rest = ave.hir.plt %n : vector<64xi1>, index
  %x = ave.hir.vload <NORM> %src[%i] : memref<1024xf16> into vector<64xf16>
  ave.hir.masked_store <NORM_B16> %dst[%i], %m, %x : memref<1024xf16>, vector<64xi1>, vector<64xf16>
  return
}
