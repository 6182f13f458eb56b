func.func @sum(%src: memref<?xf32>, %dst: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  scf.for %k = %c0 to %n step %c64 {
    %x = ave.hir.vload <NORM> %src[%k] : memref<?xf32> into vector<64xf32>
    %y = ave.hir.vexp %x, %m : vector<64xf32>, vector<64xi1>
  }
  ave.hir.masked_store <NORM_B32> %dst[%c0], %m, %y : memref<?xf32>, vector<64xi1>, vector<64xf32>
  return
}
