func.func @f(%b16: memref<1024xf16>, %idx: memref<64xi16>, %i: index) {
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %k = ave.hir.vload <NORM> %idx[%i] : memref<64xi16> into vector<64xi16>
  %g = ave.hir.vgather %b16[%i] [%k], %m : memref<1024xf16>, vector<64xi16>, vector<64xi1> into vector<64xf16>
  %w = ave.hir.vextsi %k, %m {part = #ave.vcvt_part_type<part_even>} : vector<64xi16>, vector<64xi32>, vector<64xi1>
  %lo, %hi = ave.hir.vdintlv %g, %g : vector<64xf16>, vector<64xf16>
  return
}
