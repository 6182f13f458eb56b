func.func @f(%a: memref<64xi8, #hivm.address_space<ub>>, %n: index, %q: i1) {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> {functionType = #ave.func_dist_type<pb32>} : vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>
  %x = ave.hir.vload <NORM> %a[%c0] {functionType = #ave.func_dist_type<pk4>} : memref<64xi8, #hivm.address_space<ub>> into vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>
  %l, %h = ave.hir.vintlv %x, %x {layout_change = #ave<layout_change UNCHANGED>} : vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>, vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>
  %k, %j = ave.hir.plt %n {functionType = #ave.func_dist_type<pb32>} : vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>, index
  %z = ave.hir.vadd %l, %h, %k : vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>, vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>
  %e = ave.hir.vextsi %z, %m {functionType = #ave.func_dist_type<even>, pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>, vector<64xi32, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>, vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>
  return
}
