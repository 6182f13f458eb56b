func.func @banks(%A: memref<16x16xf32>, %n: i64, %s: i64) {
  %a4 = buckyball.bank_alloc {col = 4 : i64}
  %a4l = buckyball.bank_mvin %A %a4 %n %n : memref<16x16xf32> i64 i64 i64
  %a1 = buckyball.bank_alloc
  %a1q = buckyball.bank_fp2int %a4l %a1 %n %s : i64 i64 i64 i64
  buckyball.bank_release %a4l : i64
  %p = buckyball.bank_im2col %a1q %a1 %n %n %n %n %n %n %n : i64 i64 i64 i64 i64 i64 i64 i64 i64
  %q = buckyball.bank_im2col %a1q %a1 %n %n %n %n : i64 i64 i64 i64 i64 i64
  buckyball.bank_release %a1 : i64
  buckyball.mset %n {alloc = true, row = 1 : i64, col = 4 : i64} : i64
  buckyball.mvout %A %n %n %n : memref<16x16xf32> i64 i64 i64
  buckyball.mul_warp16 %n, %n, %n, %n, %n : i64
  "buckyball.intr.mvin"(%n, %s) : (i64, i64) -> ()
  buckyball.intr.custom %n, %s {funct7 = 51 : i32} : i64, i64
  buckyball.fence
  tile.tile_matmul %A %A %A : memref<16x16xf32> memref<16x16xf32> memref<16x16xf32>
  buckyball.matmul %A %A %A : memref<16x16xf32> memref<16x16xf32> memref<16x16xf32>
  return
}
