// Signed 16-bit numbers are narrowed to bytes, those out of range to the nearest one in it. The compiler takes the
// bytes for unsigned: -300 becomes 0 instead of -128, and 300 becomes 255 instead of 127.
// passes: aligned, chip: ascend950
// shows: element 0 of `%dst`: expected 80, found 00
func.func @f(%a: memref<128xi16, #hivm.address_space<ub>>, %dst: memref<128xi8, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<128xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<128xi16, #hivm.address_space<ub>> into vector<128xi16>
  %y = ave.hir.vtrunci %x, true, %m {part = #ave.vcvt_part_type<part_even>} : vector<128xi16>, vector<128xi8>, vector<128xi1>
  ave.hir.masked_store <NORM_B8> %dst[%c0], %m, %y : memref<128xi8, #hivm.address_space<ub>>, vector<128xi1>, vector<128xi8>
  return
}
