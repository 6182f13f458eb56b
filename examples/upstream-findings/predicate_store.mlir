// A comparison of 32-bit numbers is stored as bits. The compiler stores all 256 bits of the predicate register, of
// which only every fourth is one of the comparison's.
// passes: plain, chip: ascend950
// shows: element 0 of `%bits`: expected ff, found 11
func.func @f(%a: memref<64xf32, #hivm.address_space<ub>>, %bits: memref<256xi1, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<64xf32, #hivm.address_space<ub>> into vector<64xf32>
  %k = ave.hir.vcmp <EQ> %x, %x, %m : vector<64xf32>, vector<64xi1> -> vector<64xi1>
  ave.hir.masked_store <NORM_B8> %bits[%c0], %m, %k : memref<256xi1, #hivm.address_space<ub>>, vector<64xi1>, vector<64xi1>
  return
}
