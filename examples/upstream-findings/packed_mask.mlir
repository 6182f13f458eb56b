// Numbers of 32 bits are narrowed to bytes and stored. Two deinterleaves bring the bytes together; the mask of the
// store keeps one bit for every fourth byte, and three of four bytes are not written.
// passes: aligned, chip: ascend310b4
// shows: element 1 of `%dst`: expected bb, found 9c
func.func @f(%a: memref<64xi32, #hivm.address_space<ub>>, %dst: memref<256xi8, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<64xi32, #hivm.address_space<ub>> into vector<64xi32>
  %y = ave.hir.vtrunci %x, false, %m {pp = #ave.vcvt_pp_type<pp0>} : vector<64xi32>, vector<64xi8>, vector<64xi1>
  ave.hir.masked_store <NORM_B8> %dst[%c0], %m, %y : memref<256xi8, #hivm.address_space<ub>>, vector<64xi1>, vector<64xi8>
  return
}
