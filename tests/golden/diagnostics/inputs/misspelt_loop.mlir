func.func @f(%a: memref<64xf32, #hivm.address_space<ub>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.fr %i = %c0 to %c1 step %c1 {
    %x = ave.hir.vload <NORM> %a[%c0] : memref<64xf32, #hivm.address_space<ub>> into vector<64xf32>
  }
  return
}
