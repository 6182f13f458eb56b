// 16-bit data goes through a comparison with a scalar (dense) and through a widening conversion (spread).
func.func @relu_wide(%src: memref<64xf16>, %dst: memref<64xf32>, %zero: f16, %i: index) {
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %n = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %src[%i] : memref<64xf16> into vector<64xf16>
  %p = ave.hir.vcmps <GT> %x, %zero, %m : vector<64xf16>, f16, vector<64xi1> -> vector<64xi1>
  %y = ave.hir.vsel %p, %x, %x : vector<64xi1>, vector<64xf16>
  %w = ave.hir.vextf %x, <part_even>, %n : vector<64xf16>, vector<64xf32>, vector<64xi1>
  ave.hir.masked_store <NORM_B32> %dst[%i], %n, %w : memref<64xf32>, vector<64xi1>, vector<64xf32>
  return
}
