// C = A * B of one tile: every bank is allocated first and released last, 19 banks in all.
func.func @tile(%A: memref<16x64xf32>, %B: memref<64x16xf32>, %C: memref<16x16xf32>, %sa: i64, %sb: i64, %sc: i64) {
  %c64 = arith.constant 64 : i64
  %c16 = arith.constant 16 : i64
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %aFp32 = buckyball.bank_alloc {col = 4 : i64}
  %bFp32 = buckyball.bank_alloc {col = 4 : i64}
  %aI8 = buckyball.bank_alloc
  %bI8 = buckyball.bank_alloc
  %aI8T = buckyball.bank_alloc
  %cI32 = buckyball.bank_alloc {col = 4 : i64}
  %cFp32 = buckyball.bank_alloc {col = 4 : i64}
  %a0 = buckyball.bank_mvin %A %aFp32 %c64 %c1 : memref<16x64xf32> i64 i64 i64
  %b0 = buckyball.bank_mvin %B %bFp32 %c64 %c1 : memref<64x16xf32> i64 i64 i64
  %a1 = buckyball.bank_fp2int %a0 %aI8 %c64 %sa : i64 i64 i64 i64
  %b1 = buckyball.bank_fp2int %b0 %bI8 %c64 %sb : i64 i64 i64 i64
  %a2 = buckyball.bank_transpose %a1 %aI8T %c64 %c0 : i64 i64 i64 i64
  %c = buckyball.bank_mul_warp16 %a2 %b1 %cI32 %c64 %c0 : i64 i64 i64 i64 i64
  %d = buckyball.bank_int2fp %c %cFp32 %c16 %sc : i64 i64 i64 i64
  %e = buckyball.bank_mvout %C %d %c16 %c1 : memref<16x16xf32> i64 i64 i64
  buckyball.fence
  buckyball.bank_release %a0 : i64
  buckyball.bank_release %b0 : i64
  buckyball.bank_release %a1 : i64
  buckyball.bank_release %b1 : i64
  buckyball.bank_release %a2 : i64
  buckyball.bank_release %c : i64
  buckyball.bank_release %e : i64
  return
}
