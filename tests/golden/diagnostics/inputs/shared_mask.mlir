// One mask governs 32-bit data and a strided store of 16-bit data.
func.func @f(%src: memref<64xi32>, %dst: memref<64xi32>, %out: memref<1024xi16>, %i: index) {
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %src[%i] : memref<64xi32> into vector<64xi32>
  ave.hir.masked_store <NORM_B32> %dst[%i], %m, %x : memref<64xi32>, vector<64xi1>, vector<64xi32>
  %h = ave.hir.vload <NORM> %out[%i] : memref<1024xi16> into vector<64xi16>
  ave.hir.store_with_stride %out[%i], %i, %m, %h : memref<1024xi16>, vector<64xi1>, vector<64xi16>
  return
}
