func.func private @out(vector<64xi8>, i1, vector<64xi8>) -> (vector<64xi8>, vector<64xi8>)
func.func @f(%a: memref<64xi8, #hivm.address_space<ub>>, %n: index, %q: i1) {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> {functionType = #ave.func_dist_type<pb32>} : vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>
  %x = ave.hir.vload <NORM> %a[%c0] {functionType = #ave.func_dist_type<norm>} : memref<64xi8, #hivm.address_space<ub>> into vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>>
  %plain_5_0 = ave.hir.vector.layout_cast %x : vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>> -> vector<64xi8>
  %plain_5_2 = ave.hir.vector.layout_cast %x : vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>> -> vector<64xi8>
  %r:2 = func.call @out(%plain_5_0, %q, %plain_5_2) : (vector<64xi8>, i1, vector<64xi8>) -> (vector<64xi8>, vector<64xi8>)
  %held_5_0 = ave.hir.vector.layout_cast %r#0 : vector<64xi8> -> vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>>
  %held_5_1 = ave.hir.vector.layout_cast %r#1 : vector<64xi8> -> vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>>
  %plain_6_0 = ave.hir.vector.layout_cast %held_5_1 : vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>> -> vector<64xi8>
  %plain_6_2 = ave.hir.vector.layout_cast %held_5_0 : vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>> -> vector<64xi8>
  %s:2 = call @out(%plain_6_0, %q, %plain_6_2) : (vector<64xi8>, i1, vector<64xi8>) -> (vector<64xi8>, vector<64xi8>)
  %held_6_0 = ave.hir.vector.layout_cast %s#0 : vector<64xi8> -> vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>
  %held_6_1 = ave.hir.vector.layout_cast %s#1 : vector<64xi8> -> vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>>
  scf.for %i = %c0 to %n step %n {
    %u = ave.hir.vadd %held_6_0, %held_6_0, %m : vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>, vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>  // used in here
  }
  %e = ave.hir.vextsi %held_6_0, %m {functionType = #ave.func_dist_type<even>, pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>, vector<64xi32, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>, vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>
  return
}
