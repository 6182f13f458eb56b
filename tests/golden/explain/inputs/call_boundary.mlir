func.func @widen(%v: vector<64xf16>) -> vector<64xf32> {
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %w = ave.hir.vextf %v, <part_even>, %m : vector<64xf16>, vector<64xf32>, vector<64xi1>
  return %w : vector<64xf32>
}
func.func @main(%b16: memref<1024xf16>, %i: index) {
  %x = ave.hir.vload <NORM> %b16[%i] : memref<1024xf16> into vector<64xf16>
  %lo, %hi = ave.hir.vdintlv %x, %x : vector<64xf16>, vector<64xf16>
  %w = func.call @widen(%x) : (vector<64xf16>) -> vector<64xf32>
  return
}
