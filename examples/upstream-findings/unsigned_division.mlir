// Integers are divided as unsigned ones. The compiler divides them as signed ones.
// passes: aligned, chip: ascend950
// shows: element 0 of `%a`: expected 02 00 00 00, found 00 00 00 00
func.func @f(%a: memref<64xi32, #hivm.address_space<ub>>, %b: memref<64xi32, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<64xi32, #hivm.address_space<ub>> into vector<64xi32>
  %y = ave.hir.vload <NORM> %b[%c0] : memref<64xi32, #hivm.address_space<ub>> into vector<64xi32>
  %z = ave.hir.vdiv %x, %y, %m {cast = #hivm.cast<cast_unsigned>} : vector<64xi32>, vector<64xi1>
  ave.hir.masked_store <NORM_B32> %a[%c0], %m, %z : memref<64xi32, #hivm.address_space<ub>>, vector<64xi1>, vector<64xi32>
  return
}
