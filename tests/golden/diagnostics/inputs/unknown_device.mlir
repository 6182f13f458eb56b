module attributes {hacc.target = #hacc.target<"Ascend1234">} {
  func.func @f(%b: memref<64xi8>, %i: index) {
    %x = ave.hir.vload <NORM> %b[%i] : memref<64xi8> into vector<64xi8>
    return
  }
}
