// The upper halves of the products of unsigned 32-bit numbers. The compiler multiplies them as signed ones.
// passes: aligned, chip: ascend950
// shows: element 0 of `%dst`: expected 9a bc fd 91, found ce 6b 58 0f
func.func @f(%a: memref<64xi32, #hivm.address_space<ub>>, %dst: memref<64xi32, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<64xi32, #hivm.address_space<ub>> into vector<64xi32>
  %low, %high = ave.hir.mull %x, %x, %m {cast = #hivm.cast<cast_unsigned>} : vector<64xi32>, vector<64xi1>
  ave.hir.masked_store <NORM_B32> %dst[%c0], %m, %high : memref<64xi32, #hivm.address_space<ub>>, vector<64xi1>, vector<64xi32>
  return
}
