func.func @f(%b32: memref<64xf32>, %b16: memref<1024xf16>, %b8: memref<256xi8>, %h: f16, %n: index) {
  %c0 = arith.constant 0 : index
  %x = ave.hir.vload <NORM> %b32[%c0] : memref<64xf32> into vector<64xf32>
  %u = "mine.vfancy"(%x) : (vector<64xf32>) -> vector<64xf32>
  return
}
