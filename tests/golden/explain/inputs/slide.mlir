func.func @f(%b32: memref<64xf32>, %b16: memref<1024xf16>, %b8: memref<256xi8>, %h: f16, %n: index) {
  %c0 = arith.constant 0 : index
  %k = arith.constant -1 : i16
  %y = ave.hir.vload <NORM> %b16[%c0] : memref<1024xf16> into vector<64xf16>
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %s = ave.hir.vslide %y, %y, %k : vector<64xf16>, i16 -> vector<64xf16>
  %q = ave.hir.pge <ALL> : vector<64xi1>
  ave.hir.masked_store <NORM_B16> %b16[%c0], %q, %s : memref<1024xf16>, vector<64xi1>, vector<64xf16>
  %w = ave.hir.vextf %y, <part_even>, %m : vector<64xf16>, vector<64xf32>, vector<64xi1>
  return
}
