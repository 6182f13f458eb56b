// Numbers above others are stored to an unaligned address, under the mask that the comparison made. The store has a
// length instead of a mask, that of the whole register: all numbers are stored.
// passes: aligned, chip: ascend950
// shows: element 0 of `%dst`: expected 00 00 60 3f, found 66 a8 52 c1
func.func @f(%a: memref<64xf32, #hivm.address_space<ub>>, %b: memref<64xf32, #hivm.address_space<ub>>, %dst: memref<128xf32, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<64xf32, #hivm.address_space<ub>> into vector<64xf32>
  %y = ave.hir.vload <NORM> %b[%c0] : memref<64xf32, #hivm.address_space<ub>> into vector<64xf32>
  %more = ave.hir.vcmp <GT> %x, %y, %m : vector<64xf32>, vector<64xi1> -> vector<64xi1>
  ave.hir.masked_store <NORM_B32> %dst[%c0], %more, %x {ave.unaligned_ub_access = #ave.unaligned_ub_access} : memref<128xf32, #hivm.address_space<ub>>, vector<64xi1>, vector<64xf32>
  return
}
