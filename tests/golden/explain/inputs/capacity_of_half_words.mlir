func.func @f(%b32: memref<64xf32>, %b16: memref<1024xf16>, %b8: memref<256xi8>, %h: f16, %n: index) {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<128xi1>
  %x = ave.hir.vload <NORM> %b16[%c0] : memref<1024xf16> into vector<128xf16>
  %w = ave.hir.vload <UNPK_B16> %b16[%c0] : memref<1024xf16> into vector<128xf16>
  %s = ave.hir.vadd %x, %w, %m : vector<128xf16>, vector<128xi1>
  ave.hir.masked_store <NORM_B16> %b16[%c0], %m, %s : memref<1024xf16>, vector<128xi1>, vector<128xf16>
  return
}
