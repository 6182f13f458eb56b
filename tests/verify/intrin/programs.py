"""Small functions of intrinsics, as a lowering writes them: an address of a buffer, and what is done with it."""

from __future__ import annotations

UB = "#hivm.address_space<ub>"
CALL = "hivm_regbaseintrins.intr.hivm."
DESCRIPTOR = "!llvm.struct<(ptr<6>, ptr<6>, i64, array<1 x i64>, array<1 x i64>)>"


def pointer(name: str, buffer: str, element: str, size: int = 256) -> str:
    """The lines that make `%name` the address of a buffer."""
    return f"""\
  %{name}_d = builtin.unrealized_conversion_cast {buffer} : memref<{size}x{element}, {UB}> to {DESCRIPTOR}
  %{name}_p = llvm.extractvalue %{name}_d[1] : {DESCRIPTOR}
  %{name} = llvm.getelementptr %{name}_p[%z64] : (!llvm.ptr<6>, i64) -> !llvm.ptr<6>, {element}
"""


def call(result: str, name: str, operands: str, types: str) -> str:
    """A line that calls an intrinsic."""
    return f'  {result + " = " if result else ""}"{CALL}{name}"({operands}) : {types}\n'


CONSTANTS = "  %z64 = llvm.mlir.constant(0 : index) : i64\n" + "".join(
    f"  %c{number} = llvm.mlir.constant({number} : i32) : i32\n" for number in range(21)
)


def intrinsics(body: str, source: str = "i8", target: str = "i32") -> str:
    """A function with the addresses `%from` and `%to` of two buffers, constants `%c0` to `%c20`, and a body."""
    return (
        f"func.func @f(%src: memref<256x{source}, {UB}>, %dst: memref<256x{target}, {UB}>) {{\n{CONSTANTS}"
        f"{pointer('from', '%src', source)}{pointer('to', '%dst', target)}{body}  return\n}}\n"
    )


def plain(*lines: str, source: str = "i8", target: str = "i32") -> str:
    """A function of `ave.hir` on the same buffers."""
    body = "".join(f"  {line}\n" for line in ("%c0 = arith.constant 0 : index", *lines))
    arguments = f"%src: memref<256x{source}, {UB}>, %dst: memref<256x{target}, {UB}>"
    return f"func.func @f({arguments}) {{\n{body}  return\n}}\n"
