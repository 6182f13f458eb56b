// 256 bytes fill a register and cannot be spread for the extension to 32 bits.
func.func @f(%src: memref<256xi8>, %dst: memref<256xi32>, %out: memref<256xi8>, %i: index) {
  %m = ave.hir.pge <ALL> : vector<256xi1>
  %n = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %src[%i] : memref<256xi8> into vector<256xi8>
  %y = ave.hir.vextui %x, %n {pp = #ave.vcvt_pp_type<pp0>} : vector<256xi8>, vector<64xi32>, vector<64xi1>
  ave.hir.masked_store <NORM_B32> %dst[%i], %n, %y : memref<256xi32>, vector<64xi1>, vector<64xi32>
  ave.hir.masked_store <NORM_B8> %out[%i], %m, %x : memref<256xi8>, vector<256xi1>, vector<256xi8>
  return
}
