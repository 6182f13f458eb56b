func.func @f(%a: memref<64xi8, #hivm.address_space<ub>>, %n: index, %q: i1) {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> {functionType = #ave.func_dist_type<pb32>} : vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>
  %x = ave.hir.vload <NORM> %a[%c0] {functionType = #ave.func_dist_type<pk4>} : memref<64xi8, #hivm.address_space<ub>> into vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>
  %r = "scf.for"(%c0, %n, %n, %x) ({
  ^bb0(%i: index, %s: vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>):
    %u = ave.hir.vadd %s, %s, %m : vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>, vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>
    "scf.yield"(%u) : (vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>) -> ()
  }) : (index, index, index, vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>) -> vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>
  %e = ave.hir.vextsi %r, %m {functionType = #ave.func_dist_type<even>, pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>, vector<64xi32, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>, vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>
  return
}
