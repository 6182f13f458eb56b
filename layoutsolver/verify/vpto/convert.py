"""Which conversions VPTO has, and what each must say: rounding letter, saturation, part.

Every row is a pair of element types with the letters it takes for rounding ("" for none), whether it saturates, and
how many parts it has. A signless integer counts as signed here. Source: PTOAS, the verifier of pto.vcvt.
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver_models.hardware.rounding import Rounding

ROUNDINGS: dict[str, Rounding] = {
    "R": "rint", "A": "round", "F": "floor", "C": "ceil", "Z": "trunc", "O": "odd",
}  # fmt: skip
"""The rounding letters that are documented; what H does exactly is not."""

PARTS = {2: {"EVEN": 0, "ODD": 1}, 4: {"P0": 0, "P1": 1, "P2": 2, "P3": 3}}
"""The names of the parts by their number."""

ALL = "RAFCZOH"


class Contract(NamedTuple):
    """What a conversion says."""

    letters: str
    saturates: bool
    parts: int


_F8 = ("f8E4M3FN", "f8E5M2")
_HIF8 = ("!pto.hif8",)
_F4 = ("!pto.f4E1M2x2", "!pto.f4E2M1x2")
_ROWS: tuple[tuple[tuple[str, ...], tuple[str, ...], Contract], ...] = (
    (("f32",), _F8, Contract("RAHZ", True, 4)),
    (("f32",), _HIF8, Contract("AH", True, 4)),
    (("f16",), _HIF8, Contract("AH", True, 2)),
    (_HIF8, ("f32",), Contract("", False, 4)),
    (("f32",), ("f16", "bf16", "si16", "si64"), Contract(ALL, True, 2)),
    (("f32",), ("si32",), Contract(ALL, True, 1)),
    (("f16",), _F8, Contract("RAFZC", True, 2)),
    (("f16",), ("f32",), Contract("", False, 2)),
    (("f16",), ("si32",), Contract(ALL, False, 2)),
    (("f16",), ("si16",), Contract(ALL, True, 1)),
    (("f16",), ("si8", "ui8"), Contract(ALL, True, 2)),
    (("bf16",), _F8, Contract("RAFZC", True, 2)),
    (("bf16",), _F4, Contract("RAFZC", False, 4)),
    (("bf16",), ("f16",), Contract(ALL, True, 1)),
    (("bf16",), ("f32",), Contract("", False, 2)),
    (("bf16",), ("si32",), Contract(ALL, True, 2)),
    (("ui8",), ("f16", "ui16"), Contract("", False, 2)),
    (("ui8",), ("ui32",), Contract("", False, 4)),
    (("si8",), ("f16", "si16"), Contract("", False, 2)),
    (("si8",), ("si32",), Contract("", False, 4)),
    (("ui16",), ("ui8",), Contract("", True, 2)),
    (("ui16",), ("ui32",), Contract("", False, 2)),
    (("si16",), ("f16",), Contract(ALL, False, 1)),
    (("si16",), ("f32", "ui32", "si32"), Contract("", False, 2)),
    (("si16",), ("ui8",), Contract("", True, 2)),
    (("ui32", "si32"), ("ui8",), Contract("", True, 4)),
    (("ui32", "si32"), ("ui16", "si16"), Contract("", True, 2)),
    (("si32",), ("f32",), Contract(ALL, False, 1)),
    (("si32",), ("si64",), Contract("", False, 2)),
    (("si64",), ("f32",), Contract(ALL, False, 2)),
    (("si64",), ("si32",), Contract("", True, 2)),
    (_F8, ("f32",), Contract("", False, 4)),
    (_F4, ("bf16",), Contract("", False, 4)),
)

CONTRACTS: dict[tuple[str, str], Contract] = {
    (source, target): contract for sources, targets, contract in _ROWS for source in sources for target in targets
}
"""The conversions by their element types."""

UNDOCUMENTED = frozenset({"!pto.hif8x2", "!pto.f8E8M0"})
"""Element types of which no document says what their bits mean."""


def element_name(text: str) -> str:
    """The name under which rows have an element type: a signless integer is a signed one.

    >>> element_name("i32"), element_name("f16")
    ('si32', 'f16')
    """
    return f"s{text}" if text[:1] == "i" and text[1:].isdigit() else text
