func.func @f(%b32: memref<64xf32>, %b16: memref<1024xf16>, %b8: memref<256xf8E4M3FN>, %h: f16, %n: index) {
  %c0 = arith.constant 0 : index
  %y = ave.hir.vload <NORM> %b16[%c0] : memref<1024xf16> into vector<64xf16>
  %x = ave.hir.vload <NORM> %b32[%c0] : memref<64xf32> into vector<64xf32>
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %t = ave.hir.vtruncf %y, <rint>, false, <part_even>, %m {layout_change = #ave<layout_change UNCHANGED>} : vector<64xf16>, vector<64xf8E4M3FN>, vector<64xi1>
  ave.hir.masked_store <NORM_B8> %b8[%c0], %m, %t : memref<256xf8E4M3FN>, vector<64xi1>, vector<64xf8E4M3FN>
  return
}
