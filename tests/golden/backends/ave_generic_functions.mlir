"func.func"() <{function_type = (vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>, vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>) -> (vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>, vector<64xi32, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>), sym_name = "g"}> ({
^bb0(%v: vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>, %m: vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>):
  %e = ave.hir.vextsi %v, %m {functionType = #ave.func_dist_type<even>, pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>, vector<64xi32, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>, vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>
  "func.return"(%v, %e) : (vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8_4vl>}>>, vector<64xi32, #ave.vector_layout<{mem = #ave.vec_mem_type<b32>}>>) -> ()
}) : () -> ()
"func.func"() <{function_type = (i8) -> vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>>, sym_name = "h"}> ({
^bb0(%t: i8):
  %b = ave.hir.scalar_broadcast %t : i8 -> vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>>
  "func.return"(%b) : (vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>>) -> ()
}) : () -> ()
