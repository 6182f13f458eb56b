func.func @f(%p: memref<256xi1>, %i: index) {
  %m = ave.hir.pge <ALL> : vector<256xi1>
  %a = ave.hir.vload <NORM> %p[%i] : memref<256xi1> into vector<256xi1>
  %e = ave.hir.vcmp <EQ> %a, %m, %m : vector<256xi1>, vector<256xi1> -> vector<256xi1>
  ave.hir.masked_store <NORM_B8> %p[%i], %m, %e : memref<256xi1>, vector<256xi1>, vector<256xi1>
  return
}
