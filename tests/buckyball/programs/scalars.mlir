// What the processor does between instructions: numbers, memory, branches, calls.
func.func @callee(%to: memref<4x8xi32>, %k: i32, %f: f32, %g: f64, %at: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = memref.subview %to[%at, 2] [2, 4] [1, 1] : memref<4x8xi32> to memref<2x4xi32, strided<[8, 1], offset: ?>>
  memref.store %k, %part[%c0, %c1] : memref<2x4xi32, strided<[8, 1], offset: ?>>
  %bits = arith.bitcast %f : f32 to i32
  memref.store %bits, %part[%c1, %c0] : memref<2x4xi32, strided<[8, 1], offset: ?>>
  %wide = arith.bitcast %g : f64 to i64
  %low = arith.trunci %wide : i64 to i32
  memref.store %low, %part[%c1, %c1] : memref<2x4xi32, strided<[8, 1], offset: ?>>
  return
}
func.func @scalars(%a: memref<4x4xf32>, %b: memref<4x8xi32>, %c: memref<3x5xi8>, %d: memref<5x3xi8>, %n: i64, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %m3 = arith.constant -3 : index
  %big = arith.constant 68719476736 : i64
  %five = arith.constant 5 : i64
  %zero = arith.constant 0.000000e+00 : f32
  %double = arith.constant 1.234500e+01 : f64
  %yes = arith.constant true
  %r0 = arith.addi %n, %big : i64
  %r1 = arith.muli %r0, %n : i64
  %r2 = arith.subi %r1, %five : i64
  %r3 = arith.shli %r2, %five : i64
  %r4 = arith.shrui %r3, %five : i64
  %r5 = arith.xori %r4, %r1 : i64
  %r6 = arith.divsi %r5, %five : i64
  %r7 = arith.remsi %r6, %five : i64
  %r8 = arith.divui %r5, %five : i64
  %r9 = arith.remui %r8, %five : i64
  %s0 = arith.addi %r7, %r9 : i64
  %s1 = arith.andi %s0, %r8 : i64
  %s2 = arith.ori %s1, %s0 : i64
  %t0 = arith.trunci %s2 : i64 to i32
  %t1 = arith.extsi %t0 : i32 to i64
  %t2 = arith.extui %t0 : i32 to i64
  %same = arith.cmpi eq, %t1, %t2 : i64
  %less = arith.cmpi slt, %t1, %t2 : i64
  %below = arith.cmpi ult, %t1, %t2 : i64
  %picked = arith.select %less, %t1, %five : i64
  %p32 = arith.trunci %picked : i64 to i32
  %flag = arith.extui %below : i1 to i32
  memref.store %p32, %b[%c0, %c0] : memref<4x8xi32>
  memref.store %flag, %b[%c0, %c1] : memref<4x8xi32>
  %total = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %zero) -> (f32) {
    %y = memref.load %a[%i, %c1] : memref<4x4xf32>
    %z = math.absf %y : f32
    %w = arith.maximumf %z, %x : f32
    %v = arith.minimumf %w, %y : f32
    %neg = arith.negf %v : f32
    %more = arith.addf %sum, %neg : f32
    %over = arith.cmpf oge, %more, %zero : f32
    scf.if %over {
      %half = arith.mulf %more, %x : f32
      memref.store %half, %a[%i, %c2] : memref<4x4xf32>
    } else {
      %quotient = arith.divf %x, %y : f32
      memref.store %quotient, %a[%i, %c3] : memref<4x4xf32>
    }
    %next = arith.subf %more, %y : f32
    scf.yield %next : f32
  }
  %chosen = scf.if %yes -> (f32) {
    scf.yield %total : f32
  } else {
    scf.yield %zero : f32
  }
  memref.store %chosen, %a[%c0, %c0] : memref<4x4xf32>
  %count = arith.index_cast %c3 : index to i32
  %down = arith.index_cast %m3 : index to i64
  %float = arith.sitofp %down : i64 to f32
  memref.store %float, %a[%c1, %c0] : memref<4x4xf32>
  %whole = arith.fptosi %float : f32 to i32
  memref.store %whole, %b[%c0, %c3] : memref<4x8xi32>
  linalg.transpose ins(%c : memref<3x5xi8>) outs(%d : memref<5x3xi8>) permutation = [1, 0]
  %copy = memref.alloc() : memref<3x5xi8>
  memref.copy %c, %copy : memref<3x5xi8> to memref<3x5xi8>
  %flat = memref.collapse_shape %copy [[0, 1]] : memref<3x5xi8> into memref<15xi8>
  %byte = memref.load %flat[%c4] : memref<15xi8>
  %wide = arith.extsi %byte : i8 to i32
  memref.store %wide, %b[%c0, %c2] : memref<4x8xi32>
  memref.dealloc %copy : memref<3x5xi8>
  %column = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%column : memref<4xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%a : memref<4x4xf32>) outs(%column : memref<4xf32>) {
  ^bb0(%element: f32, %so_far: f32):
    %both = arith.addf %element, %so_far : f32
    linalg.yield %both : f32
  }
  %last = memref.load %column[%c3] : memref<4xf32>
  memref.store %last, %a[%c3, %c0] : memref<4x4xf32>
  memref.dealloc %column : memref<4xf32>
  call @callee(%b, %count, %x, %double, %c1) : (memref<4x8xi32>, i32, f32, f64, index) -> ()
  return
}
