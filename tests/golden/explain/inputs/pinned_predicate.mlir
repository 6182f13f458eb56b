func.func @f(%m: vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>>, %b32: memref<64xf32>, %i: index) {
  %x = ave.hir.vload <NORM> %b32[%i] : memref<64xf32> into vector<64xf32>
  %y = ave.hir.vabs %x, %m : vector<64xf32>, vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>>
  ave.hir.masked_store <NORM_B32> %b32[%i], %m, %y : memref<64xf32>, vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>>, vector<64xf32>
  return
}
