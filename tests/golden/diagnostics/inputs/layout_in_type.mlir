func.func @f(%x: vector<64xi16, #ave.vector_layout<{mem = #ave.vec_mem_type<b16>}>>, %dst: memref<64xi32>, %i: index) {
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %w = ave.hir.vextsi %x, %m {part = #ave.vcvt_part_type<part_even>} : vector<64xi16>, vector<64xi32>, vector<64xi1>
  ave.hir.masked_store <NORM_B32> %dst[%i], %m, %w : memref<64xi32>, vector<64xi1>, vector<64xi32>
  return
}
