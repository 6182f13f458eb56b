// The first half of a register is stored to an unaligned address. The compiler has no length for the pattern `H`: the
// store gets the length of minus one element.
// passes: aligned, chip: ascend950
// shows: `hivm_regbaseintrins.intr.hivm.vstus.post.f32` faults: out of range: -4 bytes are stored from a register of 256
func.func @f(%a: memref<64xf32, #hivm.address_space<ub>>, %dst: memref<128xf32, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %x = ave.hir.vload <NORM> %a[%c0] : memref<64xf32, #hivm.address_space<ub>> into vector<64xf32>
  %half = ave.hir.pge <H> : vector<64xi1>
  ave.hir.masked_store <NORM_B32> %dst[%c0], %half, %x {ave.unaligned_ub_access = #ave.unaligned_ub_access} : memref<128xf32, #hivm.address_space<ub>>, vector<64xi1>, vector<64xf32>
  return
}
