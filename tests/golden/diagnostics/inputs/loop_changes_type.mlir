func.func @narrow(%src: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = ave.hir.vload <NORM> %src[%c0] : memref<?xi32> into vector<64xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %init) -> (vector<64xi32>) {
    %half = ave.hir.vload <NORM> %src[%k] : memref<?xi32> into vector<32xi32>
    scf.yield %half : vector<32xi32>
  }
  return
}
