// Bits are loaded as the mask of 16-bit numbers, which keeps a bit for every second byte. The compiler loads 256 bits
// side by side and does not spread them on this chip.
// passes: aligned, chip: ascend310b4
// shows: element 1 of `%dst`: expected ee 45, found ce 0a
func.func @f(%bits: memref<256xi1, #hivm.address_space<ub>>, %a: memref<128xi16, #hivm.address_space<ub>>, %dst: memref<128xi16, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %m = ave.hir.vload <NORM> %bits[%c0] : memref<256xi1, #hivm.address_space<ub>> into vector<128xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<128xi16, #hivm.address_space<ub>> into vector<128xi16>
  ave.hir.masked_store <NORM_B16> %dst[%c0], %m, %x : memref<128xi16, #hivm.address_space<ub>>, vector<128xi1>, vector<128xi16>
  return
}
