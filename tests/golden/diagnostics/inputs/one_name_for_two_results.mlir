func.func @f(%src: memref<128xi16>, %i: index) {
  %a = ave.hir.vload <NORM> %src[%i] : memref<128xi16> into vector<128xi16>
  %lo = ave.hir.vintlv %a, %a : vector<128xi16>, vector<128xi16>
  return
}
