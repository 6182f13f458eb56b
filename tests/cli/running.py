"""Runs the command line in this process and takes its answer apart."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

UB = "#hivm.address_space<ub>"

PROGRAM = f"""\
// a byte is widened and stored
func.func @f(%a: memref<64xi8, {UB}>) {{
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>  // all lanes
  %x = ave.hir.vload <NORM> %a[%c0] : memref<64xi8, {UB}> into vector<64xi8>
  %e = ave.hir.vextsi %x, %m {{pp = #ave.vcvt_pp_type<pp0>}} : vector<64xi8>, vector<64xi32>, vector<64xi1>
  ave.hir.masked_store <NORM_B8> %a[%c0], %m, %x : memref<64xi8, {UB}>, vector<64xi1>, vector<64xi8>
  return
}}
"""

FREE = f"""\
func.func @g(%a: memref<64xi8, {UB}>) {{
  %c0 = arith.constant 0 : index
  %m = ave.hir.pge <ALL> : vector<64xi1>
  %x = ave.hir.vload <NORM> %a[%c0] : memref<64xi8, {UB}> into vector<64xi8>
  ave.hir.masked_store <NORM_B8> %a[%c0], %m, %x : memref<64xi8, {UB}>, vector<64xi1>, vector<64xi8>
  return
}}
"""
"""Three layouts are possible, the dense one costs nothing."""

INFEASIBLE = """\
func.func @h(%s: i8, %h: i16) {
  %m = ave.hir.pge <ALL> : vector<128xi1>
  %x = ave.hir.scalar_broadcast %s : i8 -> vector<128xi8>
  %y = ave.hir.scalar_broadcast %h : i16 -> vector<128xi16>
  %p = ave.hir.vcmps <GT> %x, %s, %m : vector<128xi8>, i8, vector<128xi1> -> vector<128xi1>
  %z = ave.hir.vabs %y, %p : vector<128xi16>, vector<128xi1>
  return
}
"""
"""A comparison of bytes against a scalar wants the mask per byte, the 16-bit operation per half word."""


def entangled(gathers: int = 40) -> str:
    """A program whose parts are too large to be decided by looking at all solutions."""
    masks = [f"  %k{n} = ave.hir.pge <ALL> : vector<64xi1>" for n in range(gathers)]
    memory = f"memref<4096xi16, {UB}>"
    body = [
        line
        for n in range(gathers)
        for line in (
            f"  %g{n} = ave.hir.vgather %w[%c0] [%i], %m : {memory}, vector<64xi16>, vector<64xi1> into vector<64xi16>",
            f"  ave.hir.masked_store <NORM_B16> %w[%c0], %k{n}, %g{n} : {memory}, vector<64xi1>, vector<64xi16>",
        )
    ]
    head = [
        f"func.func @f(%w: {memory}) {{",
        "  %c0 = arith.constant 0 : index",
        "  %m = ave.hir.pge <ALL> : vector<64xi1>",
        f"  %i = ave.hir.vload <NORM> %w[%c0] : {memory} into vector<64xi16>",
    ]
    return "\n".join([*head, *masks, *body, "  return", "}", ""])


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run gave."""

    status: int
    out: str
    err: str

    @property
    def found(self) -> list[tuple[str, str]]:
        """Code and `line:column` (empty for the file as such) of each diagnostic."""
        heads = re.findall(r"^(?:error|warning)\[(LS\d{4})\].*\n *--> .*?((?::\d+:\d+)?)$", self.err, re.MULTILINE)
        return [(code, place.lstrip(":")) for code, place in heads]


Run = Callable[..., Outcome]


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
