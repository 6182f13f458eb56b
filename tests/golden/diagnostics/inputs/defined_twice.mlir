func.func @twice(%i: index, %i: index) {
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %m, %rest = ave.hir.plt %i : vector<64xi1>, index
  return
}
