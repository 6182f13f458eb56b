func.func @f() attributes {note = "no end} {
  return
}
