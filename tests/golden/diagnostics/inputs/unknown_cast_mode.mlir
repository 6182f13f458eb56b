func.func @f() {
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %n = ave.hir.preg.cast %m <UNPK_B32> : vector<64xi1> -> vector<64xi1>
  return
}
