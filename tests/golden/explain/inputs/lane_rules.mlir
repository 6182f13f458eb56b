func.func @f(%bits: memref<1024xi1>, %src: memref<1024xi8>, %dst: memref<1024xi8>, %out: memref<1024xi8>, %i: index) {
  %all = ave.hir.pge <ALL> : vector<128xi1>
  %m = ave.hir.vload <NORM> %bits[%i] : memref<1024xi1> into vector<128xi1>
  %x = ave.hir.vload <NORM> %src[%i] : memref<1024xi8> into vector<128xi8>
  %r = ave.hir.reduction <add>, %x, %m : vector<128xi8>, vector<128xi1> -> vector<128xi8>
  ave.hir.masked_store <ONEPT_B8> %dst[%i], %all, %r : memref<1024xi8>, vector<128xi1>, vector<128xi8>
  %y = ave.hir.vpack %x, 0 : vector<128xi8> -> vector<128xi8>
  %z = ave.hir.vpack %x, 0 : vector<128xi8> -> vector<128xi8>
  return
}
