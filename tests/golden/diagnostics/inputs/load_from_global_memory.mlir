func.func @f(%a: memref<64xf32, #hivm.address_space<gm>>, %b: memref<64xf32, #hivm.address_space<ub>>) {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<64xf32, #hivm.address_space<gm>> into vector<64xf32>
  ave.hir.masked_store <NORM_B32> %b[%c0], %m, %x : memref<64xf32, #hivm.address_space<ub>>, vector<64xi1>, vector<64xf32>
  return
}
