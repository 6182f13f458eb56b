func.func @f(%p: !pto.ptr<f32, ub>, %o: index) {
  %x = pto.vmi.vload %p[%o] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<64xf32>
  pto.vmi.vstore %x, %p[%o] : !pto.vmi.vreg<64xf32>, !pto.ptr<f32, ub>
  return
}
