// One mask for a conversion of 32-bit data and a strided store of 16-bit data: there is no layout for it.
func.func @shared_mask(
    %in: memref<64xf32, #hivm.address_space<ub>>,
    %wide: memref<64xf32, #hivm.address_space<ub>>,
    %narrow: memref<4x16xf16, #hivm.address_space<ub>>) attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %mask = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %in[%c0] : memref<64xf32, #hivm.address_space<ub>> into vector<64xf32>
  %h = ave.hir.vtruncf %x, <rint>, false, <part_even>, %mask : vector<64xf32>, vector<64xf16>, vector<64xi1>
  ave.hir.store_with_stride %narrow[%c0, %c0], %c16, %mask, %h : memref<4x16xf16, #hivm.address_space<ub>>, vector<64xi1>, vector<64xf16>
  return
}
