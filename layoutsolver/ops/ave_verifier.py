"""What the dialect's verifier demands of an `ave.hir` operation besides its form: element types, pairs, attributes.

Measured with the released tool, version 1.2.0: one function for each operation, element type, pair of element types and
choice of attributes. Kinds of values, lengths and enumerators are checked elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from layoutsolver.ops.ave import SCALAR_FORMS

_NAMES = {"fp8": ("f8E4M3FN", "f8E5M2"), "ints": ("i8", "i16", "i32", "i64")}


def _elements(words: str) -> tuple[str, ...]:
    return tuple(name for word in words.split() for name in _NAMES.get(word, (word,)))


ELEMENTS: dict[tuple[str, str], tuple[str, ...]] = {
    (mnemonic, role): _elements(words)
    for mnemonics, role, words in (
        ("vdiv", "lhs", "i16 i32 i64 ui64 f16 f32"),
        ("vshl vshr", "lhs", "ints"),
        ("vload", "res", "i1 ints fp8 f16 bf16 f32"),
        ("masked_store", "val", "i1 ints fp8 f16 bf16 f32"),
        ("store_with_stride", "val", "i8 i16 i32 fp8 f16 bf16 f32"),
        ("unaligned.masked.store", "val", "ints f8E4M3FN f16 bf16 f32"),
        ("broadcast", "scalar", "ints fp8 f16 bf16 f32"),
        ("broadcast", "res", "ints fp8 f16 bf16 f32"),
        ("scalar_broadcast", "scalar", "i1 ints fp8 f16 bf16 f32"),
        ("scalar_broadcast", "res", "i1 ints fp8 f16 bf16 f32"),
        ("vci", "scalar", "ints f16 f32"),
        ("vci", "res", "ints f16 f32"),
        (" ".join(SCALAR_FORMS), "scalar", "ints f16 f32"),
        ("vcmps", "scalar", "ints f16 bf16 f32"),
        ("vslide", "src1", "ints f16 f32"),
        ("vslide", "slide", "i16"),
        ("vshl vshr vshls vshrs", "sign", "i1"),
        ("membar", "barrier", "i32"),
        ("vextf", "src", "f16 bf16 fp8"),
        ("vextf", "res", "f16 bf16 f32"),
        ("vextsi vextui", "src", "i8 i16 i32"),
        ("vextsi vextui", "res", "i16 i32 i64"),
        ("vtrunci", "src", "i16 i32 i64"),
        ("vtrunci", "res", "i8 i16 i32"),
        ("vtruncf", "src", "f16 bf16 f32"),
        ("vtruncf", "res", "f16 bf16 fp8"),
        ("vfptosi", "src", "f16 bf16 f32"),
        ("vfptosi vfptoui", "res", "ints"),
        ("vfptoui", "src", "f16 f32"),
        ("vsitofp", "src", "ints"),
        ("vuitofp", "src", "i8 i64"),
        ("vsitofp vuitofp", "res", "f16 f32"),
        ("vtrc", "src", "f16 bf16 f32"),
        ("vtrc", "res", "f16 bf16 f32"),
    )
    for mnemonic in mnemonics.split()
}  # fmt: skip
"""The element types of a vector, or the types of a scalar, by mnemonic and role; others take all that there are."""

_INTEGER_PAIRS = {
    "vextsi": "i8>i16 part, i16>i32 part, i32>i64 part, i8>i32 pp",
    "vtrunci": "i16>i8 part, i32>i16 part, i64>i32 part, i32>i8 pp",
    "vfptosi": "f32>i64 part sat, f32>i16 part sat, f16>i8 part sat, bf16>i32 part sat, f32>i32 sat, f16>i16 sat,"
    " f16>i32 part",
    "vsitofp": "i8>f16 part, i16>f32 part, i16>f16 rnd, i32>f32 rnd, i64>f32 part rnd",
    "vuitofp": "i8>f16, i64>f32 rnd",
}

_CHECKED = {
    "vextsi": ("part", "pp"), "vextui": ("part", "pp"), "vtrunci": ("part", "pp"), "vfptosi": ("part", "sat"),
    "vsitofp": ("part", "rnd"), "vuitofp": ("rnd",),
}  # fmt: skip
"""The attributes that go with a pair of element types, by conversion."""


def _pairs(text: str) -> dict[tuple[str, str], frozenset[str]]:
    found = {}
    for entry in text.split(","):
        pair, *names = entry.split()
        before, after = pair.split(">")
        found[before, after] = frozenset(names)
    return found


CONVERSIONS: dict[str, dict[tuple[str, str], frozenset[str]]] = {
    name: _pairs(text) for name, text in {**_INTEGER_PAIRS, "vextui": _INTEGER_PAIRS["vextsi"]}.items()
}
"""The pairs of element types that a conversion has, and those of its checked attributes that each pair takes."""


class Refusal(NamedTuple):
    """What speaks against an operation: a sentence about it, and what there is instead."""

    message: str
    note: str


def refusals(mnemonic: str, elements: Mapping[str, str], attrs: Collection[str]) -> Iterator[Refusal]:
    """What the verifier refuses of an operation: by element types or scalar types of roles, and names of attributes.

    >>> [said.message for said in refusals("vextsi", {"src": "i8", "res": "i32"}, ("part",))]
    ['`ave.hir.vextsi` from i8 to i32 takes `pp`, and no `part`']
    """
    name = f"`ave.hir.{mnemonic}`"
    for role, element in elements.items():
        known = ELEMENTS.get((mnemonic, role))
        if known is not None and element not in known:
            what = "scalar" if role in ("scalar", "sign", "slide", "barrier") else "elements"
            yield Refusal(f"{name} does not take {what} of type `{element}`", f"there are {', '.join(known)}")
            return
    if mnemonic in SCALAR_FORMS and elements.get("vec") != elements.get("scalar"):
        message = f"{name} takes a scalar of its vector's element type"
        yield Refusal(message, f"`{elements.get('scalar')}` beside elements of type `{elements.get('vec')}`")
    if mnemonic == "reduction" and elements.get("vector") != elements.get("result"):
        yield Refusal(f"{name} makes elements of the type that it takes", f"here it takes `{elements.get('vector')}`")
    pairs = CONVERSIONS.get(mnemonic)
    if pairs is not None:
        yield from _conversion(name, pairs, _CHECKED[mnemonic], elements, attrs)


def _conversion(
    name: str, pairs: Mapping[tuple[str, str], frozenset[str]], checked: tuple[str, ...], elements: Mapping[str, str],
    attrs: Collection[str],
) -> Iterator[Refusal]:  # fmt: skip
    before, after = elements.get("src", ""), elements.get("res", "")
    wanted = pairs.get((before, after))
    if wanted is None:
        known = ", ".join(f"{one} to {other}" for one, other in pairs)
        yield Refusal(f"there is no {name} from {before} to {after}", f"there are {known}")
        return
    given = {attribute for attribute in checked if attribute in attrs}
    if given != wanted:
        takes = " and ".join(f"`{one}`" for one in checked if one in wanted)
        extra = " and ".join(f"`{one}`" for one in checked if one not in wanted)
        words = f"{takes}, and no {extra}" if takes and extra else takes or f"no {extra}"
        yield Refusal(f"{name} from {before} to {after} takes {words}", "the instruction set has no other form of it")
