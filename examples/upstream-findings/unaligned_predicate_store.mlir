// Bits for bytes are stored to an unaligned address. They are unpacked twice for a store of 32-bit granules, but the
// store that follows writes all 256 bits.
// passes: aligned, chip: ascend310b4
// shows: element 0 of `%bits`: expected ff, found 11
func.func @f(%bits: memref<256xi1, #hivm.address_space<ub>>, %a: memref<64xi8, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<64xi8, #hivm.address_space<ub>> into vector<64xi8>
  %k = ave.hir.vcmp <EQ> %x, %x, %m : vector<64xi8>, vector<64xi1> -> vector<64xi1>
  ave.hir.masked_store <NORM_B8> %bits[%c0], %m, %k {ave.unaligned_ub_access = #ave.unaligned_ub_access} : memref<256xi1, #hivm.address_space<ub>>, vector<64xi1>, vector<64xi1>
  return
}
