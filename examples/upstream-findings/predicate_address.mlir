// Bits are loaded from the middle of a buffer. The address counts a byte for each of the 256 bits before, though
// eight of them share one.
// passes: aligned, chip: ascend950
// shows: element 0 of `%a`: expected 31 25 29 48, found 00 00 00 00
func.func @f(%bits: memref<4096xi1, #hivm.address_space<ub>>, %a: memref<64xf32, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %m = ave.hir.vload <NORM> %bits[%c256] : memref<4096xi1, #hivm.address_space<ub>> into vector<64xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<64xf32, #hivm.address_space<ub>> into vector<64xf32>
  %y = ave.hir.vsub %x, %x, %m : vector<64xf32>, vector<64xi1>
  ave.hir.masked_store <NORM_B32> %a[%c0], %m, %y : memref<64xf32, #hivm.address_space<ub>>, vector<64xi1>, vector<64xf32>
  return
}
