// A byte is broadcast under a mask of 16-bit data and widened. The broadcast fills every second byte, and without
// the analysis of alignments an interleave spreads what is spread already.
// passes: plain, chip: ascend950
// shows: element 1 of `%dst`: expected 79 00, found 00 00
func.func @f(%b: i8, %dst: memref<128xi16, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<128xi1>
  %x = ave.hir.broadcast %b, %m : i8, vector<128xi1> -> vector<128xi8>
  %y = ave.hir.vextsi %x, %m {part = #ave.vcvt_part_type<part_even>} : vector<128xi8>, vector<128xi16>, vector<128xi1>
  ave.hir.masked_store <NORM_B16> %dst[%c0], %m, %y : memref<128xi16, #hivm.address_space<ub>>, vector<128xi1>, vector<128xi16>
  return
}
