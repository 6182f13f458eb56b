func.func @scale(%src: memref<128xf16>, %k: f16, %i: index) {
  %m = ave.hir.pge <ALL> : vector<128xi1>
  %x = ave.hir.vload <NORM> %src[%i] : memref<128xf16> to vector<128xf16>
  %y = ave.hir.vmuls %x, %k %m : vector<128xf16>, f16, vector<128xi1>
  return
}
