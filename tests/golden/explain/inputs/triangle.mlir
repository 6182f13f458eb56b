func.func @f(%b32: memref<64xf32>, %b16: memref<1024xf16>, %b8: memref<256xi8>, %h: f16, %n: index) {
  %c0 = arith.constant 0 : index
  %z = ave.hir.vload <NORM> %b8[%c0] : memref<256xi8> into vector<64xi8>
  %y = ave.hir.vload <NORM> %b16[%c0] : memref<1024xf16> into vector<64xf16>
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %w = ave.hir.vextsi %z, %m {part = #ave.vcvt_part_type<part_even>} : vector<64xi8>, vector<64xi16>, vector<64xi1>
  %v = ave.hir.vsel %m, %z, %z : vector<64xi1>, vector<64xi8>
  %a, %b = ave.hir.vdintlv %w, %w : vector<64xi16>, vector<64xi16>
  ave.hir.store_with_stride %b8[%c0], %n, %m, %v : memref<256xi8>, vector<64xi1>, vector<64xi8>
  return
}
