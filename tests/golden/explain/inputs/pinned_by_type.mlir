#dense = #ave.vector_layout<{mem = #ave.vec_mem_type<b16>}>
func.func @f(%x: vector<64xf16, #ave.vector_layout<{mem = #ave.vec_mem_type<b16>}>>) {
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %w = ave.hir.vextf %x, <part_even>, %m : vector<64xf16, #ave.vector_layout<{mem = #ave.vec_mem_type<b16>}>>, vector<64xf32>, vector<64xi1>
  return
}
