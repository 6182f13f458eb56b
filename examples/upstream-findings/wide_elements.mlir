// Sixty-four numbers of 64 bits are copied. They take two registers; the compiler uses one, and the second half is
// never stored.
// passes: aligned, chip: ascend950
// shows: element 32 of `%dst`: expected d0 0e 51 ba 2f 5a 6a 63, found 3e 00 00 00 00 00 00 00
func.func @f(%src: memref<64xi64, #hivm.address_space<ub>>, %dst: memref<64xi64, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %src[%c0] : memref<64xi64, #hivm.address_space<ub>> into vector<64xi64>
  ave.hir.masked_store <NORM_B64> %dst[%c0], %m, %x : memref<64xi64, #hivm.address_space<ub>>, vector<64xi1>, vector<64xi64>
  return
}
