// Bytes are copied under the mask of 16-bit data. The mask has a bit for every second byte; without the analysis of
// alignments the bytes are loaded and stored side by side, and every second one is left out.
// passes: plain, chip: ascend950
// shows: element 1 of `%dst`: expected 1f, found d8
func.func @f(%a: memref<128xf16, #hivm.address_space<ub>>, %src: memref<128xi8, #hivm.address_space<ub>>, %dst: memref<128xi8, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<128xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<128xf16, #hivm.address_space<ub>> into vector<128xf16>
  %y = ave.hir.vabs %x, %m : vector<128xf16>, vector<128xi1>
  ave.hir.masked_store <NORM_B16> %a[%c0], %m, %y : memref<128xf16, #hivm.address_space<ub>>, vector<128xi1>, vector<128xf16>
  %b = ave.hir.vload <NORM> %src[%c0] : memref<128xi8, #hivm.address_space<ub>> into vector<128xi8>
  ave.hir.masked_store <NORM_B8> %dst[%c0], %m, %b : memref<128xi8, #hivm.address_space<ub>>, vector<128xi1>, vector<128xi8>
  return
}
