func.func @f(%a: memref<64xi8, #hivm.address_space<ub>>, %b: memref<64xi32, #hivm.address_space<ub>>) {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<64xi8, #hivm.address_space<ub>> into vector<64xi8>
  %y = ave.hir.vextsi %x, %m {p = #ave.vcvt_pp_type<pp0>} : vector<64xi8>, vector<64xi32>, vector<64xi1>
  ave.hir.masked_store <NORM_B32> %b[%c0], %m, %y : memref<64xi32, #hivm.address_space<ub>>, vector<64xi1>, vector<64xi32>
  return
}
