func.func @f(%i: index) {
  %c1 = arith.constant 1 : index
  %j = arith.addi %i, %c1 : index
  return
}
