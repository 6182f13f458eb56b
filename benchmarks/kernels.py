"""Loops to measure interpreters with: each row of a buffer goes through the same vector operations."""

from __future__ import annotations

from dataclasses import dataclass

_UB = "#hivm.address_space<ub>"


@dataclass(frozen=True, slots=True)
class Kernel:
    """A loop body; `instructions` is how many vector instructions it has before it is lowered."""

    body: tuple[str, ...]

    @property
    def instructions(self) -> int:
        """The vector operations of one iteration."""
        return len(self.body)

    def program(self, rows: int) -> str:
        """The program that runs the body once for each row."""
        lines = "\n".join(f"    {line}" for line in self.body)
        buffers = ", ".join(f"%{name}: memref<{rows}x64x{element}, {_UB}>" for name, element in _BUFFERS.items())
        return f"""\
func.func @f({buffers}) attributes {{hivm.vector_function}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant {rows} : index
  %two = arith.constant 2.0 : f32
  %m = ave.hir.pge <ALL> : vector<64xi1>
  scf.for %i = %c0 to %rows step %c1 {{
{lines.replace("ROWS", str(rows))}
  }}
  return
}}
"""


_BUFFERS = {"b8": "i8", "a": "f32", "b": "f32", "o8": "i8", "o": "f32"}


def _load(result: str, buffer: str) -> str:
    element = _BUFFERS[buffer]
    types = f"memref<ROWSx64x{element}, {_UB}> into vector<64x{element}>"
    return f"%{result} = ave.hir.vload <NORM> %{buffer}[%i, %c0] : {types}"


def _store(value: str, buffer: str) -> str:
    element = _BUFFERS[buffer]
    dist = "NORM_B8" if element == "i8" else "NORM_B32"
    types = f"memref<ROWSx64x{element}, {_UB}>, vector<64xi1>, vector<64x{element}>"
    return f"ave.hir.masked_store <{dist}> %{buffer}[%i, %c0], %m, %{value} : {types}"


_F32 = "vector<64xf32>, vector<64xi1>"

KERNELS = {
    "f32": Kernel((
        _load("x", "a"), _load("y", "b"), f"%s = ave.hir.vadd %x, %y, %m : {_F32}",
        f"%t = ave.hir.vmul %s, %y, %m : {_F32}", f"%u = ave.hir.vsub %t, %x, %m : {_F32}",
        f"%v = ave.hir.vmax %u, %s, %m : {_F32}",
        "%w = ave.hir.vadds %v, %two, %m : vector<64xf32>, f32, vector<64xi1>",
        f"%z = ave.hir.vabs %w, %m : {_F32}", _store("z", "o"),
    )),
    "select": Kernel((
        _load("x", "a"), _load("y", "b"),
        "%k = ave.hir.vcmp <GT> %x, %y, %m : vector<64xf32>, vector<64xi1> -> vector<64xi1>",
        "%l = ave.hir.vcmp <LT> %x, %y, %k : vector<64xf32>, vector<64xi1> -> vector<64xi1>",
        "%n = ave.hir.preg.not <b8> %l, %m : vector<64xi1>",
        "%s = ave.hir.vsel %k, %x, %y : vector<64xi1>, vector<64xf32>",
        f"%t = ave.hir.vadd %s, %y, %n : {_F32}", "%u = ave.hir.vsel %n, %t, %x : vector<64xi1>, vector<64xf32>",
        _store("u", "o"),
    )),
    "quantise": Kernel((
        _load("q", "b8"),
        "%w = ave.hir.vextsi %q, %m {pp = #ave.vcvt_pp_type<pp0>} : vector<64xi8>, vector<64xi32>, vector<64xi1>",
        "%x = ave.hir.vsitofp %w, %m {rnd = #hivm.round_mode<rint>} : vector<64xi32>, vector<64xi1>, vector<64xf32>",
        _load("y", "b"), f"%s = ave.hir.vmul %x, %y, %m : {_F32}",
        "%t = ave.hir.vfptosi %s, <rint>, %m {sat = true} : vector<64xf32>, vector<64xi1>, vector<64xi32>",
        "%u = ave.hir.vtrunci %t, true, %m {pp = #ave.vcvt_pp_type<pp0>} "
        ": vector<64xi32>, vector<64xi8>, vector<64xi1>",
        _store("u", "o8"),
    )),
}  # fmt: skip
"""The kernels by name: plain arithmetic, predicates, and 8-bit data that is widened and narrowed."""
