"""Programs of any size, of three shapes."""

from __future__ import annotations

HEAD = """func.func @f(%b: memref<256xi8, #hivm.address_space<ub>>, %d: memref<256xf32, #hivm.address_space<ub>>)
    attributes {hivm.vector_function} {
  %c0 = arith.constant 0 : index
"""
TAIL = "  return\n}\n"


def chain(n: int) -> str:
    """N additions, each of the one before."""
    body = [
        "  %m = ave.hir.pge <ALL> : vector<64xi1>",
        "  %x0 = ave.hir.vload <NORM> %d[%c0] : memref<256xf32, #hivm.address_space<ub>> into vector<64xf32>",
        *(f"  %x{i + 1} = ave.hir.vadd %x{i}, %x{i}, %m : vector<64xf32>, vector<64xi1>" for i in range(n)),
        f"  ave.hir.masked_store <NORM_B32> %d[%c0], %m, %x{n} : "
        "memref<256xf32, #hivm.address_space<ub>>, vector<64xi1>, vector<64xf32>",
    ]
    return HEAD + "\n".join(body) + "\n" + TAIL


def pairs(n: int) -> str:
    """N independent loads and stores of 8-bit data: 3^n solutions."""
    body = [
        f"  %m{i} = ave.hir.pge <ALL> : vector<64xi1>\n"
        f"  %x{i} = ave.hir.vload <NORM> %b[%c0] : memref<256xi8, #hivm.address_space<ub>> into vector<64xi8>\n"
        f"  ave.hir.masked_store <NORM_B8> %b[%c0], %m{i}, %x{i} : "
        "memref<256xi8, #hivm.address_space<ub>>, vector<64xi1>, vector<64xi8>"
        for i in range(n)
    ]
    return HEAD + "\n".join(body) + "\n" + TAIL


def dangling(n: int) -> str:
    """N loads of 8-bit data that nobody uses: 3^n solutions."""
    body = [
        f"  %x{i} = ave.hir.vload <NORM> %b[%c0] : memref<256xi8, #hivm.address_space<ub>> into vector<64xi8>"
        for i in range(n)
    ]
    return HEAD + "\n".join(body) + "\n" + TAIL


def contested(n: int) -> str:
    """A grid of gathers that share masks and indices: parts that enumeration does not decide, CP-SAT does."""
    lines = [
        "  %z = arith.constant 0 : i16",
        "  %i0 = ave.hir.vci %z, <INCREASE> : i16, vector<64xi16>",
        "  %s = arith.constant 3 : i16",
    ]
    for k in range(n):
        lines += [
            f"  %p{k} = ave.hir.pge <ALL> : vector<64xi1>",
            f"  %j{k} = ave.hir.vci %z, <INCREASE> : i16, vector<64xi16>",
            f"  %q{k} = ave.hir.pge <ALL> : vector<64xi1>",
            f"  %g{k} = ave.hir.vgather %h[%c0] [%j{k}], %q{k} : memref<4096xf16, #hivm.address_space<ub>>, "
            "vector<64xi16>, vector<64xi1> into vector<64xf16>",
            f"  %w{k} = ave.hir.vextf %g{k}, <part_even>, %p{k} : vector<64xf16>, vector<64xf32>, vector<64xi1>",
            f"  ave.hir.masked_store <NORM_B32> %d[%c0], %p{k}, %w{k} : "
            "memref<256xf32, #hivm.address_space<ub>>, vector<64xi1>, vector<64xf32>",
        ]
    head = HEAD.replace("%d:", "%h: memref<4096xf16, #hivm.address_space<ub>>, %d:")
    return head + "\n".join(lines) + "\n" + TAIL


SHAPES = {"chain": chain, "pairs": pairs, "dangling": dangling, "gathers": contested}
"""The shapes by name."""
