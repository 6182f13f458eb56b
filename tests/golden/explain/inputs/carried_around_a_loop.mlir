func.func @f(%b32: memref<64xf32>, %b16: memref<1024xf16>, %b8: memref<256xi8>, %h: f16, %n: index) {
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %k = ave.hir.pge <ALL> : vector<64xi1>
  %y = ave.hir.vload <NORM> %b16[%c0] : memref<1024xf16> into vector<64xf16>
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %y) -> (vector<64xf16>) {
    %p = ave.hir.vcmps <GT> %acc, %h, %k : vector<64xf16>, f16, vector<64xi1> -> vector<64xi1>
    %next = ave.hir.vadd %acc, %acc, %p : vector<64xf16>, vector<64xi1>
    scf.yield %next : vector<64xf16>
  }
  %w = ave.hir.vextf %r, <part_even>, %m : vector<64xf16>, vector<64xf32>, vector<64xi1>
  return
}
