// Bits for bytes are stored to an unaligned address in a buffer of two dimensions. They are unpacked for a store of
// every second bit; the store takes what was not unpacked. (It does in a buffer of one dimension.)
// passes: aligned, chip: ascend950
// shows: element 0 of `%bits`: expected f3, found 7d
func.func @f(%bits: memref<4x256xi1, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %m = ave.hir.vload <NORM> %bits[%c0, %c0] : memref<4x256xi1, #hivm.address_space<ub>> into vector<128xi1>
  ave.hir.masked_store <NORM_B8> %bits[%c0, %c0], %m, %m {ave.unaligned_ub_access = #ave.unaligned_ub_access} : memref<4x256xi1, #hivm.address_space<ub>>, vector<128xi1>, vector<128xi1>
  return
}
