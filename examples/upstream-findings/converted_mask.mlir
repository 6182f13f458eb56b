// Half floats become unsigned 16-bit integers by way of 32-bit ones. The mask keeps a bit for every second byte, the
// conversions between read every fourth: from element 32 on nothing is converted.
// passes: aligned, chip: ascend950
// shows: element 32 of `%dst`: expected 10 03, found ?? ??
func.func @f(%src: memref<64xf16, #hivm.address_space<ub>>, %dst: memref<64xi16, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %src[%c0] : memref<64xf16, #hivm.address_space<ub>> into vector<64xf16>
  %y = ave.hir.vfptoui %x, <rint>, false, <part_even>, %m : vector<64xf16>, vector<64xi1>, vector<64xi16>
  ave.hir.masked_store <NORM_B16> %dst[%c0], %m, %y : memref<64xi16, #hivm.address_space<ub>>, vector<64xi1>, vector<64xi16>
  return
}
