// Row softmax of quantised scores: 256 rows of 64 int8 values in, 64 int8 probabilities out.
// Every row gets a column bias that is gathered from an f16 table, and an attention mask of packed bits.
module attributes {hacc.target = #hacc.target<"Ascend950PR_9589">} {
  func.func @quantised_softmax(
      %scores: memref<256x64xi8, #hivm.address_space<ub>>,
      %attend: memref<64xi1, #hivm.address_space<ub>>,
      %bias: memref<64x256xf16, #hivm.address_space<ub>>,
      %row_max: memref<256xf32, #hivm.address_space<ub>>,
      %out: memref<256x64xi8, #hivm.address_space<ub>>)
      attributes {hivm.func_core_type = #hivm.func_core_type<AIV>, hivm.vector_function, no_inline} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %first = arith.constant 0 : i16
    %pitch = arith.constant 256 : i16
    %scale = arith.constant 0.0625 : f32
    %levels = arith.constant 127.0 : f32
    %lowest = arith.constant -65504.0 : f32
    %floor = arith.constant -24.0 : f32

    // Offsets of one column of the bias table: computed once, used by every row.
    %ramp = ave.hir.vci %first, <INCREASE> : i16, vector<64xi16>
    %all16 = ave.hir.pge <ALL> : vector<64xi1>
    %offsets = ave.hir.vmuls %ramp, %pitch, %all16 : vector<64xi16>, i16, vector<64xi1>
    %keep = ave.hir.vload <NORM> %attend[%c0] : memref<64xi1, #hivm.address_space<ub>> into vector<64xi1>
    %all = ave.hir.pge <ALL> : vector<64xi1>
    %hidden = ave.hir.broadcast %lowest, %all : f32, vector<64xi1> -> vector<64xf32>

    scf.for %i = %c0 to %c256 step %c1 {
      // Widen: int8 -> int32 -> f32, then scale.
      %x8 = ave.hir.vload <NORM> %scores[%i, %c0] : memref<256x64xi8, #hivm.address_space<ub>> into vector<64xi8>
      %x32 = ave.hir.vextsi %x8, %all {pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8>, vector<64xi32>, vector<64xi1>
      %xf = ave.hir.vsitofp %x32, %all {rnd = #hivm.round_mode<rint>} : vector<64xi32>, vector<64xi1>, vector<64xf32>
      %scaled = ave.hir.vmuls %xf, %scale, %all : vector<64xf32>, f32, vector<64xi1>

      // Bias: 16-bit gather, widened to f32.
      %gmask = ave.hir.pge <ALL> : vector<64xi1>
      %b16 = ave.hir.vgather %bias[%c0, %i] [%offsets], %gmask : memref<64x256xf16, #hivm.address_space<ub>>, vector<64xi16>, vector<64xi1> into vector<64xf16>
      %b32 = ave.hir.vextf %b16, <part_even>, %all : vector<64xf16>, vector<64xf32>, vector<64xi1>
      %biased = ave.hir.vadd %scaled, %b32, %all : vector<64xf32>, vector<64xi1>

      // Mask: hidden positions and hopeless scores drop out.
      %visible = ave.hir.vsel %keep, %biased, %hidden : vector<64xi1>, vector<64xf32>
      %alive = ave.hir.vcmps <GT> %visible, %floor, %all : vector<64xf32>, f32, vector<64xi1> -> vector<64xi1>
      %score = ave.hir.vsel %alive, %visible, %hidden : vector<64xi1>, vector<64xf32>

      // Softmax of the row.
      %max1 = ave.hir.reduction <max>, %score, %all : vector<64xf32>, vector<64xi1> -> vector<64xf32>
      %one = ave.hir.pge <VL1> : vector<64xi1>
      ave.hir.masked_store <ONEPT_B32> %row_max[%i], %one, %max1 : memref<256xf32, #hivm.address_space<ub>>, vector<64xi1>, vector<64xf32>
      %max = ave.hir.vector_broadcast %max1, %all, true : vector<64xf32>, vector<64xi1> -> vector<64xf32>
      %shifted = ave.hir.vsub %score, %max, %all : vector<64xf32>, vector<64xi1>
      %e = ave.hir.vexp %shifted, %all : vector<64xf32>, vector<64xi1>
      %sum1 = ave.hir.reduction <add>, %e, %all : vector<64xf32>, vector<64xi1> -> vector<64xf32>
      %sum = ave.hir.vector_broadcast %sum1, %all, true : vector<64xf32>, vector<64xi1> -> vector<64xf32>
      %p = ave.hir.vdiv %e, %sum, %all : vector<64xf32>, vector<64xi1>

      // Narrow: f32 -> int32 -> int8.
      %q = ave.hir.vmuls %p, %levels, %all : vector<64xf32>, f32, vector<64xi1>
      %q32 = ave.hir.vfptosi %q, <rint>, %all {sat = true} : vector<64xf32>, vector<64xi1>, vector<64xi32>
      %q8 = ave.hir.vtrunci %q32, false, %all {pp = #ave.vcvt_pp_type<pp0>} : vector<64xi32>, vector<64xi8>, vector<64xi1>
      ave.hir.masked_store <NORM_B8> %out[%i, %c0], %all, %q8 : memref<256x64xi8, #hivm.address_space<ub>>, vector<64xi1>, vector<64xi8>
    }
    return
  }
}
