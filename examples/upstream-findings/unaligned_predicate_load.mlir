// Bits are loaded from an unaligned address, for bytes. The compiler loads the bits and packs them as if each had two
// places: every second one is lost.
// passes: aligned, chip: ascend310b4
// shows: element 1 of `%a`: expected 00, found 45
func.func @f(%bits: memref<256xi1, #hivm.address_space<ub>>, %a: memref<128xi8, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %m = ave.hir.vload <NORM> %bits[%c0] {ave.unaligned_ub_access = #ave.unaligned_ub_access} : memref<256xi1, #hivm.address_space<ub>> into vector<64xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<128xi8, #hivm.address_space<ub>> into vector<64xi8>
  %y = ave.hir.vsub %x, %x, %m : vector<64xi8>, vector<64xi1>
  %all = ave.hir.pge <ALL> : vector<64xi1>
  %z = ave.hir.vsel %m, %y, %x : vector<64xi1>, vector<64xi8>
  ave.hir.masked_store <NORM_B8> %a[%c0], %all, %z : memref<128xi8, #hivm.address_space<ub>>, vector<64xi1>, vector<64xi8>
  return
}
