// A ramp of bytes is widened in a loop. It lies in every second byte by an interleave of its own; where the mask governs
// what the loop carries as well, the analysis of alignments does not see that, and the ramp is interleaved once more.
// passes: aligned, chip: ascend950
// shows: element 1 of `%dst`: expected 04 00, found 03 00
func.func @f(%src: memref<256xi8, #hivm.address_space<ub>>, %dst: memref<256xi16, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %three = arith.constant 3 : i8
  %first = ave.hir.vload <NORM> %src[%c0] : memref<256xi8, #hivm.address_space<ub>> into vector<64xi8>
  %none = ave.hir.vload <NORM> %dst[%c0] : memref<256xi16, #hivm.address_space<ub>> into vector<64xi16>
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%sum = %first, %last = %none) -> (vector<64xi8>, vector<64xi16>) {
    %m = ave.hir.pge <ALL> : vector<64xi1>
    %x = ave.hir.vci %three, <INCREASE> : i8, vector<64xi8>
    %y = ave.hir.vextsi %x, %m {part = #ave.vcvt_part_type<part_even>} : vector<64xi8>, vector<64xi16>, vector<64xi1>
    %next = ave.hir.vadd %sum, %sum, %m : vector<64xi8>, vector<64xi1>
    scf.yield %next, %y : vector<64xi8>, vector<64xi16>
  }
  %all = ave.hir.pge <ALL> : vector<64xi1>
  ave.hir.masked_store <NORM_B16> %dst[%c0], %all, %r#1 : memref<256xi16, #hivm.address_space<ub>>, vector<64xi1>, vector<64xi16>
  return
}
