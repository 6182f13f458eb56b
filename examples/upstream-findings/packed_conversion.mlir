// Even and odd parts of a conversion are put together by a bitwise or: either leaves zeros where the other one has its
// elements. Of vectors that do not fill the register, the compiler packs both before: they fall on each other.
// passes: aligned, chip: ascend950
// shows: element 1 of `%dst`: expected 00 7c, found 00 fc
func.func @f(%a: memref<128xf32, #hivm.address_space<ub>>, %dst: memref<128xf16, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = ave.hir.pge <VL32> : vector<64xi1>
  %n = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<128xf32, #hivm.address_space<ub>> into vector<64xf32>
  %y = ave.hir.vload <NORM> %a[%c64] : memref<128xf32, #hivm.address_space<ub>> into vector<64xf32>
  %even = ave.hir.vtruncf %x, <rint>, false, <part_even>, %m {layout_change = #ave<layout_change DENSE>} : vector<64xf32>, vector<64xf16>, vector<64xi1>
  %odd = ave.hir.vtruncf %y, <rint>, false, <part_odd>, %m {layout_change = #ave<layout_change DENSE>} : vector<64xf32>, vector<64xf16>, vector<64xi1>
  %both = ave.hir.vor %even, %odd, %n : vector<64xf16>, vector<64xi1>
  ave.hir.masked_store <NORM_B16> %dst[%c0], %n, %both : memref<128xf16, #hivm.address_space<ub>>, vector<64xi1>, vector<64xf16>
  return
}
