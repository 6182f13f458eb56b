"""The operations around tiles and banks that are known here: functions, loops, scalars, memrefs, linear algebra.

Each row says how its operands are printed; `read` and `write` follow the same rows. The forms:

    binary      op %a, %b : T              unary    op %a : T             cast     op %a : S to T
    compare     op kind, %a, %b : S        select   op %c, %a, %b : T     named    op ins(…) outs(…)
    alloc       op() : T                   load     op %m[…] : M          store    op %v, %m[…] : M

>>> FORMS["arith.addf"], FORMS["linalg.matmul"]
('binary', 'named')
"""

from __future__ import annotations

INTEGER_BINARY = ("addi", "subi", "muli", "andi", "ori", "xori", "shli", "shrui", "divsi", "divui", "remsi", "remui",
                  "minsi", "maxsi", "ceildivsi", "floordivsi")  # fmt: skip
FLOAT_BINARY = ("addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf")
CASTS = ("index_cast", "extui", "extsi", "trunci", "bitcast", "sitofp", "fptosi", "extf", "truncf", "index_castui",
         "uitofp")  # fmt: skip

NAMED = (
    "linalg.matmul", "linalg.batch_matmul", "linalg.transpose", "linalg.fill", "linalg.add", "linalg.copy",
    "linalg.conv_2d_nhwc_hwcf", "linalg.conv_2d_nhwc_fhwc", "linalg.conv_2d_nchw_fchw",
)  # fmt: skip

FORMS: dict[str, str] = {
    **{f"arith.{name}": "binary" for name in (*INTEGER_BINARY, *FLOAT_BINARY)},
    **{f"arith.{name}": "cast" for name in CASTS},
    **dict.fromkeys(("math.absf", "arith.negf"), "unary"),
    **dict.fromkeys(("arith.cmpi", "arith.cmpf"), "compare"),
    "arith.select": "select",
    "arith.constant": "constant",
    **dict.fromkeys(("memref.alloc", "memref.alloca"), "alloc"),
    "memref.dealloc": "unary",
    "memref.load": "load",
    "memref.store": "store",
    "memref.subview": "subview",
    "memref.copy": "cast",
    "memref.cast": "cast",
    "memref.collapse_shape": "collapse",
    "memref.extract_aligned_pointer_as_index": "metadata",
    "memref.extract_strided_metadata": "metadata",
    **dict.fromkeys(NAMED, "named"),
    "linalg.generic": "generic",
    "linalg.yield": "return",
    "scf.for": "for",
    "scf.if": "if",
    "scf.yield": "return",
    "func.return": "return",
    "func.call": "call",
    "func.func": "function",
}
"""The form of each operation that is known."""

RESULTLESS = frozenset({"memref.dealloc", "memref.copy", "memref.store", "linalg.yield", "scf.yield", "func.return"})
"""The operations that have no results, of those whose form could have one."""
