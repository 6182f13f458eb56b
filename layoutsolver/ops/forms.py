"""Roles and custom forms of the `pto` operations, whose texts all follow one pattern.

Operands come first, separated by commas, then the attribute dictionary, then `:` and the types of the operands, then
`->` and the types of the results. What departs from that is told by the notation of the rows:

    name     an operand whose type is printed       name?    one that may be missing, as a result may be
    name.    an operand whose type is not printed   name*    any number of operands, or of results
    [name]   an operand in brackets, behind the one before; also `[name.]`
    "kind"   an inline string

>>> form("value destination [offset.] mask?", "").assembly
'$value , $destination [ $offset ] [: , $mask :] attrs : type(value) , type(destination) [: , type(mask) :]'
>>> form('"pattern"', "result").assembly
'"pattern" attrs : type(result)'
"""

from __future__ import annotations

from typing import NamedTuple

from layoutsolver.ops.spec import Attribute, Effect, Kind, OpSpec, Role

GENERIC = "generic"
"""The assembly of an operation that has no custom form."""

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("mask", "seed", "carry", "carry_in", "predicate"), Kind.MASK),
    **dict.fromkeys(("destination", "base", "base_out", "updated_base", "ptr"), Kind.POINTER),
    **dict.fromkeys(
        ("offset", "row_stride", "stride", "source_group_stride", "active_lanes", "active_elems_per_group", "part",
         "increment"), Kind.INDEX),
    **dict.fromkeys(
        ("block_stride", "repeat_stride", "scalar", "scalar_out", "alpha", "slope", "loop", "bound", "bin"),
        Kind.SCALAR),
    **dict.fromkeys(("indices", "offsets", "index"), Kind.INDEX_VECTOR),
    **dict.fromkeys(("align", "align_in", "align_out", "updated_align"), Kind.ANY),
}  # fmt: skip
"""What the names of roles stand for, where it is no vector."""


class Form(NamedTuple):
    """The roles of an operation and its custom form, in the notation of `layoutsolver.ops.assembly`."""

    operands: tuple[Role, ...]
    results: tuple[Role, ...]
    assembly: str


def form(operands: str, results: str, kinds: dict[str, Kind] | None = None) -> Form:
    """The roles and the form that a row's notation stands for; `kinds` says where a name means something else."""
    words = operands.split()
    types: list[str] = []
    text: list[str] = []
    for word in words:
        name, printed = word.strip("[]").rstrip("?.*"), not word.strip("[]").endswith(".")
        if word.startswith('"'):
            text += [",", word]
        elif word.startswith("["):
            text += ["[", f"${name}", "]"]
        elif word.endswith("?"):
            text += ["[:", ",", f"${name}", ":]"]
            types += ["[:", ",", f"type({name})", ":]"]
            continue
        else:
            text += [",", f"${name}"]
        if printed and not word.startswith('"'):
            types += [",", f"type({name})"]
    after: list[str] = []
    for word in results.split():
        name = f"type({word.rstrip('?')})"
        after += ["[:", "," if after else "->", name, ":]"] if word.endswith("?") else ["," if after else "->", name]
    if after and not types:
        after[0] = ":"
    shown = [*text[1:], "attrs", *([":", *types[1:]] if types else []), *after]
    operand_roles = tuple(_role(word, kinds or {}) for word in words if not word.startswith('"'))
    return Form(operand_roles, tuple(_role(word, kinds or {}) for word in results.split()), " ".join(shown))


def _role(word: str, kinds: dict[str, Kind]) -> Role:
    word = word.strip("[]").rstrip(".")
    name = word.rstrip("?*")
    kind = kinds.get(name) or _KINDS.get(name, Kind.VECTOR)
    return Role(name, kind, word.endswith("*"), word.endswith("?"))


def attributes(text: str) -> tuple[Attribute, ...]:
    """The attributes that a text lists: `name:kind`, or `name:value|value|…`; with `!` if it must be there.

    >>> attributes("num_groups:int! order:ASC|DESC")[1]
    Attribute(name='order', kind='string', values=('ASC', 'DESC'), required=False)
    """
    listed = []
    for word in text.split():
        name, _, what = word.rstrip("!").partition(":")
        kind = what if what in ("int", "unit", "any") else "string"
        values = tuple(what.split("|")) if kind == "string" and what != "string" else ()
        listed.append(Attribute(name, kind, values, word.endswith("!")))
    return tuple(listed)


def spec(
    name: str,
    shape: Form,
    rule: str,
    effect: Effect = Effect.PURE,
    attrs: str = "",
    same: str = "",
    source: str = "",
) -> OpSpec:
    """The table row of an operation."""
    return OpSpec(
        name, shape.operands, shape.results, shape.assembly, rule, effect, tuple(same.split()), source=source,
        attributes=attributes(attrs),
    )  # fmt: skip
