// What a call returns lies side by side, in whatever layout its users were solved for. Here the user stores every
// second byte of it, under a mask of 16-bit data.
// passes: aligned, chip: ascend950
// shows: element 1 of `%dst`: expected 22, found 5b
func.func private @g(vector<128xi8>) -> vector<128xi8> attributes {hivm.vector_function}
func.func @f(%a: memref<128xf16, #hivm.address_space<ub>>, %src: memref<128xi8, #hivm.address_space<ub>>, %dst: memref<128xi8, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<128xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<128xf16, #hivm.address_space<ub>> into vector<128xf16>
  %y = ave.hir.vabs %x, %m : vector<128xf16>, vector<128xi1>
  ave.hir.masked_store <NORM_B16> %a[%c0], %m, %y : memref<128xf16, #hivm.address_space<ub>>, vector<128xi1>, vector<128xf16>
  %b = ave.hir.vload <NORM> %src[%c0] : memref<128xi8, #hivm.address_space<ub>> into vector<128xi8>
  %r = func.call @g(%b) : (vector<128xi8>) -> vector<128xi8>
  ave.hir.masked_store <NORM_B8> %dst[%c0], %m, %r : memref<128xi8, #hivm.address_space<ub>>, vector<128xi1>, vector<128xi8>
  return
}
