// Whether a shift to the right keeps the sign is an argument here. The compiler takes it for no, whatever is passed.
// passes: aligned, chip: ascend950
// shows: element 2 of `%a`: expected ff ff ff ff, found 00 00 00 00
func.func @f(%a: memref<64xi32, #hivm.address_space<ub>>, %b: memref<64xi32, #hivm.address_space<ub>>, %sign: i1) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<64xi32, #hivm.address_space<ub>> into vector<64xi32>
  %y = ave.hir.vload <NORM> %b[%c0] : memref<64xi32, #hivm.address_space<ub>> into vector<64xi32>
  %z = ave.hir.vshr %x, %y, %m, %sign : vector<64xi32>, vector<64xi1>
  ave.hir.masked_store <NORM_B32> %a[%c0], %m, %z : memref<64xi32, #hivm.address_space<ub>>, vector<64xi1>, vector<64xi32>
  return
}
