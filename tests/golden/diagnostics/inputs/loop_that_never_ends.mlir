func.func @f(%a: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  scf.for %i = %c0 to %c4 step %c0 {
    %x = ave.hir.vload <NORM> %a[%c0] : memref<64xf32> into vector<64xf32>
    ave.hir.masked_store <NORM_B32> %a[%c0], %m, %x : memref<64xf32>, vector<64xi1>, vector<64xf32>
  }
  return
}
