func.func @f(%b32: memref<64xf32>, %b16: memref<1024xf16>, %b8: memref<256xi8>, %h: f16, %n: index) {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %y = ave.hir.vload <UNPK_B16> %b16[%c0] : memref<1024xf16> into vector<64xf16>
  %lo, %hi = ave.hir.vdintlv %y, %y : vector<64xf16>, vector<64xf16>
  %w = ave.hir.vabs %y, %m : vector<64xf16>, vector<64xi1>
  return
}
