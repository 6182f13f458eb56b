func.func @f(%src: memref<64xf32>, %out: memref<1xf32>, %i: index) {
  %x = ave.hir.vload <NORM> %src[%i] : memref<64xf32> into vector<64xf32>
  %y = math.exp %x : vector<64xf32>
  %s = vector.reduction <add>, %y : vector<64xf32> into f32
  memref.store %s, %out[%i] : memref<1xf32>
  return
}
