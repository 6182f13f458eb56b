func.func @narrow(%v: vector<64xf32>) -> vector<64xf16> {
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %w = ave.hir.vtruncf %v, <rint>, false, <part_even>, %m : vector<64xf32>, vector<64xf16>, vector<64xi1>
  return %w : vector<64xf16>
}
func.func @main(%b32: memref<64xf32>, %i: index) {
  %x = ave.hir.vload <NORM> %b32[%i] : memref<64xf32> into vector<64xf32>
  %y = func.call @narrow(%x) : (vector<64xf32>) -> vector<64xf16>
  %lo, %hi = ave.hir.vdintlv %y, %y : vector<64xf16>, vector<64xf16>
  return
}
