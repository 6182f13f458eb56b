// The sum of the 16-bit numbers above others. It is made of 32 bits and narrowed again, under the mask of what is summed:
// where the first number is none of these, the sum is lost.
// passes: aligned, chip: ascend950
// shows: element 0 of `%dst`: expected 0d 3a, found ?? ??
func.func @f(%a: memref<128xi16, #hivm.address_space<ub>>, %b: memref<128xi16, #hivm.address_space<ub>>, %dst: memref<128xi16, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %all = ave.hir.pge <ALL> : vector<128xi1>
  %one = ave.hir.pge <VL1> : vector<128xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<128xi16, #hivm.address_space<ub>> into vector<128xi16>
  %y = ave.hir.vload <NORM> %b[%c0] : memref<128xi16, #hivm.address_space<ub>> into vector<128xi16>
  %more = ave.hir.vcmp <GT> %x, %y, %all : vector<128xi16>, vector<128xi1> -> vector<128xi1>
  %sum = ave.hir.reduction <add>, %x, %more : vector<128xi16>, vector<128xi1> -> vector<128xi16>
  ave.hir.masked_store <NORM_B16> %dst[%c0], %one, %sum : memref<128xi16, #hivm.address_space<ub>>, vector<128xi1>, vector<128xi16>
  return
}
