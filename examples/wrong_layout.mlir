// Bytes are widened to 32 bits. The functionTypes were written by hand, and the load spreads the bytes too little.
func.func @widen(%src: memref<64xi8, #hivm.address_space<ub>>, %dst: memref<64xi32, #hivm.address_space<ub>>) {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <VL64> {functionType = #ave.func_dist_type<pb32>} : vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>
  %x = ave.hir.vload <NORM> %src[%c0] {functionType = #ave.func_dist_type<pk>} : memref<64xi8, #hivm.address_space<ub>> into vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>
  %y = ave.hir.vextsi %x, %m {functionType = #ave.func_dist_type<even>, pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>, vector<64xi32, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>, vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>
  ave.hir.masked_store <NORM_B32> %dst[%c0], %m, %y {functionType = #ave.func_dist_type<norm>} : memref<64xi32, #hivm.address_space<ub>>, vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>, vector<64xi32, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>
  return
}
