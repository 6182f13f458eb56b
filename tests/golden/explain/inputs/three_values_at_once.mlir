func.func @f(%b32: memref<64xf32>, %b16: memref<1024xf16>, %b8: memref<256xi8>, %h: f16, %n: index) {
  %c0 = arith.constant 0 : index
  %z = ave.hir.vload <NORM> %b8[%c0] : memref<256xi8> into vector<64xi8>
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %v = ave.hir.vabs %z, %m : vector<64xi8>, vector<64xi1>
  %a, %b = ave.hir.vdintlv %v, %v {layout_change = #ave<layout_change DENSE>} : vector<64xi8>, vector<128xi8>
  ave.hir.masked_store <NORM_B8> %b8[%c0], %m, %a : memref<256xi8>, vector<64xi1>, vector<128xi8>
  return
}
