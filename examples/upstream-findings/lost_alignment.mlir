// Bytes are gathered, and arrive in every second byte of the register. Index and mask are the same in all lanes, from
// which the analysis of alignments learns nothing: the bytes are stored as if they stood side by side.
// passes: aligned, chip: ascend950
// shows: element 1 of `%dst`: expected 24, found 2e
func.func @f(%src: memref<256xi8, #hivm.address_space<ub>>, %dst: memref<256xi8, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i16
  %yes = arith.constant true
  %at = ave.hir.scalar_broadcast %three : i16 -> vector<64xi16>
  %k = ave.hir.scalar_broadcast %yes : i1 -> vector<64xi1>
  %x = ave.hir.vgather %src[%c0] [%at], %k : memref<256xi8, #hivm.address_space<ub>>, vector<64xi16>, vector<64xi1> into vector<64xi8>
  %m = ave.hir.pge <ALL> : vector<64xi1>
  ave.hir.masked_store <NORM_B8> %dst[%c0], %m, %x : memref<256xi8, #hivm.address_space<ub>>, vector<64xi1>, vector<64xi8>
  return
}
