// A product of one tile: A is 16 by 64, its rows 128 elements apart.
func.func @tile(%A: memref<16x64xf32, strided<[128, 1]>>, %B: memref<64x16xf32>, %C: memref<16x16xf32>) {
  buckyball.matmul %A %B %C : memref<16x64xf32, strided<[128, 1]>> memref<64x16xf32> memref<16x16xf32>
  return
}
