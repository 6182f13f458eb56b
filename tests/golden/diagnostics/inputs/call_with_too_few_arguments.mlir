func.func @callee(%x: vector<64xi32>, %m: vector<64xi1>) -> vector<64xi32> {
  %y = ave.hir.vabs %x, %m : vector<64xi32>, vector<64xi1>
  return %y : vector<64xi32>
}
func.func @caller(%x: vector<64xi32>) -> vector<64xi32> {
  %y = func.call @callee(%x) : (vector<64xi32>) -> vector<64xi32>
  return %y : vector<64xi32>
}
