func.func private @sink(vector<64xi4>)
func.func @f() {
  %x = arith.constant dense<1> : vector<64xi4>
  func.call @sink(%x) : (vector<64xi4>) -> ()
  return
}
