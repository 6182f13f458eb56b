func.func @f(%src: memref<1024xi16>, %i: index) -> vector<200xi32> {
  %x = ave.hir.vload <NORM> %src[%i] : memref<1024xi16> into vector<256xi16>
  %c = arith.constant dense<7> : vector<200xi32>
  return %c : vector<200xi32>
}
