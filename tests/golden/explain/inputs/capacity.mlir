func.func @f(%b32: memref<64xf32>, %b16: memref<1024xf16>, %b8: memref<256xi8>, %h: f16, %n: index) {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<256xi1>
  %x = ave.hir.vload <NORM> %b8[%c0] : memref<256xi8> into vector<256xi8>
  %w = ave.hir.vextsi %x, %m : vector<256xi8>, vector<256xi16>, vector<256xi1>
  return
}
