func.func @f(%a: f64) {
  %x = ave.hir.scalar_broadcast %a : f64 -> vector<32xf64>
  return
}
