func.func private @out(vector<64xi8>) -> vector<64xi8>
func.func @f(%a: memref<64xi8, #hivm.address_space<ub>>, %n: index, %q: i1) {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> {functionType = #ave.func_dist_type<pb32>} : vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>
  %x = ave.hir.vload <NORM> %a[%c0] {functionType = #ave.func_dist_type<norm>} : memref<64xi8, #hivm.address_space<ub>> into vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>>
  %plain_7_0 = arith.constant 1 : i32
  %held_7_0 = arith.constant 1 : i32
  %plain_7_0_ = ave.hir.vector.layout_cast %x : vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>> -> vector<64xi8>
  %r = func.call @out(%plain_7_0_) : (vector<64xi8>) -> vector<64xi8>
  %held_7_0_ = ave.hir.vector.layout_cast %r : vector<64xi8> -> vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>
  %e = ave.hir.vextsi %held_7_0_, %m {functionType = #ave.func_dist_type<even>, pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>, vector<64xi32, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>, vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>
  return
}
