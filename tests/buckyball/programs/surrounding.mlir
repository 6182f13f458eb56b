func.func @tile(%A: memref<16x64xf32>, %B: memref<64x64xf32, strided<[64, 1], offset: ?>>, %C: memref<16x16xf32>, %I: memref<1x4x4x2xf32>, %F: memref<3x3x2x4xf32>, %O: memref<1x2x2x4xf32>) {
  %c16 = arith.constant 16 : i64
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %f = arith.constant -1.27e+02 : f32
  %t = arith.constant true
  %s = memref.subview %B[0, %c0] [16, 16] [1, 1] : memref<64x64xf32, strided<[64, 1], offset: ?>> to memref<16x16xf32, strided<[64, 1], offset: ?>>
  linalg.fill ins(%f : f32) outs(%C : memref<16x16xf32>)
  %m = memref.alloca() : memref<f32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%A : memref<16x64xf32>) outs(%m : memref<f32>) {
  ^bb0(%x: f32, %acc: f32):
    %ab = math.absf %x : f32
    %mx = arith.maximumf %ab, %acc : f32
    linalg.yield %mx : f32
  }
  %last = scf.for %i = %c0 to %c2 step %c2 iter_args(%carried = %f) -> (f32) {
    %y = memref.load %C[%i, %i] : memref<16x16xf32>
    memref.store %y, %C[%i, %i] : memref<16x16xf32>
    %cc = arith.cmpf ogt, %y, %carried : f32
    %se = arith.select %cc, %y, %f : f32
    scf.if %cc {
      memref.store %se, %C[%i, %i] : memref<16x16xf32>
    } else {
      memref.store %y, %C[%i, %i] : memref<16x16xf32>
    }
    scf.yield %se : f32
  }
  %one = memref.collapse_shape %A [[0, 1]] : memref<16x64xf32> into memref<1024xf32>
  linalg.transpose ins(%C : memref<16x16xf32>) outs(%C : memref<16x16xf32>) permutation = [1, 0]
  linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%I, %F : memref<1x4x4x2xf32>, memref<3x3x2x4xf32>) outs(%O : memref<1x2x2x4xf32>)
  return
}
