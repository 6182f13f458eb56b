func.func @f(%b32: memref<64xf32>, %b16: memref<1024xf16>, %b8: memref<256xi8>, %h: f16, %n: index) {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %k = ave.hir.pge <ALL> : vector<64xi1>
  %p = ave.hir.vcmp <EQ> %m, %k, %m : vector<64xi1>, vector<64xi1> -> vector<64xi1>
  return
}
