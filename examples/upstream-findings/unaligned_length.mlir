// An unaligned store of the elements that a counter leaves. The compiler multiplies the counter by the size of an
// element: where more are left than a register holds, the store is longer than the register.
// passes: aligned, chip: ascend950
// shows: `hivm_regbaseintrins.intr.hivm.vstus.post.f32` faults: out of range: 400 bytes are stored from a register of 256
func.func @f(%src: memref<64xf32, #hivm.address_space<ub>>, %dst: memref<256xf32, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %left = arith.constant 100 : index
  %m, %rest = ave.hir.plt %left : vector<64xi1>, index
  %x = ave.hir.vload <NORM> %src[%c0] : memref<64xf32, #hivm.address_space<ub>> into vector<64xf32>
  ave.hir.masked_store <NORM_B32> %dst[%c0], %m, %x {ave.unaligned_ub_access = #ave.unaligned_ub_access} : memref<256xf32, #hivm.address_space<ub>>, vector<64xi1>, vector<64xf32>
  return
}
