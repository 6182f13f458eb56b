func.func @f(%dst: memref<64xi32>, %i: index) {
  %one = arith.constant dense<1> : vector<64xi32>
  %m = ave.hir.pge <ALL> : vector<64xi1>
  ave.hir.masked_store <NORM_B32> %dst[%i], %m, %one : memref<64xi32>, vector<64xi1>, vector<64xi32>
  return
}
