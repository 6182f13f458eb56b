func.func private @in(%v: vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>, %w: vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>, %n: index) -> vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>> {
  %d = ave.hir.vadd %v, %v, %w : vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>, vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>
  return %d : vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>
}
func.func @f(%a: memref<64xi8, #hivm.address_space<ub>>, %n: index, %q: i1) {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> {functionType = #ave.func_dist_type<pb32>} : vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>
  %x = ave.hir.vload <NORM> %a[%c0] {functionType = #ave.func_dist_type<pk4>} : memref<64xi8, #hivm.address_space<ub>> into vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>
  %r = func.call @in(%x, %m, %n) : (vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>, vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>, index) -> vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>
  %e = ave.hir.vextsi %r, %m {functionType = #ave.func_dist_type<even>, pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>, vector<64xi32, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>, vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>
  return
}
