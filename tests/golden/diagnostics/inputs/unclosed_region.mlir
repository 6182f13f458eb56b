// The closing brace of the function is missing.
func.func @cut_off(%n: index) {
  %m, %rest = ave.hir.plt %n : vector<64xi1>, index
  return
