// The loop starts with a load that spreads its elements, and a slide inside wants them dense.
func.func @f(%src: memref<?xi16>, %dst: memref<?xi16>, %n: index) {
  %c0 = arith.constant 0 : index
  %by = arith.constant -1 : i16
  %c64 = arith.constant 64 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <UNPK_B16> %src[%c0] : memref<?xi16> into vector<64xi16>
  %r = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %x) -> (vector<64xi16>) {
    %s = ave.hir.vslide %acc, %acc, %by : vector<64xi16>, i16 -> vector<64xi16>
    scf.yield %s : vector<64xi16>
  }
  ave.hir.masked_store <NORM_B16> %dst[%c0], %m, %r : memref<?xi16>, vector<64xi1>, vector<64xi16>
  return
}
