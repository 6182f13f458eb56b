"""Matches the text of an operation against the custom form of its table row, or against the generic form.

The notation of `OpSpec.assembly`, items separated by blanks:

    $x            the operand in role x            $x*           operands in role x, separated by commas
    type(x)       the type of role x               <kind>        an inline enumerator in angle brackets
    bool, int     an inline literal                attrs         an attribute dictionary, if there is one
    "kind"        an inline string                 [...]         a bracket group, whatever is in it
    [: a b :]     optional, if its first item matches            anything else: that very token
    a | b         form a, or where that does not match, form b

`generic` says that there is only the generic form.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from layoutsolver.mlir.lexer import is_number
from layoutsolver.mlir.tree import Op
from layoutsolver.ops.spec import OpSpec, Role

_OPEN = {"(": ")", "[": "]", "{": "}", "<": ">"}
_CLOSE = frozenset(_OPEN.values())
_SHAPED = frozenset({"vector", "memref", "tensor", "complex", "tuple"})


class TypeText(NamedTuple):
    """A printed type: tokens `[first, last)` of the stream, and their text."""

    first: int
    last: int
    text: str


class Bound:
    """An operation's text, role by role.

    `operands` lists `(role, token)` in order; `types` maps a role to its printed type; `enums` the inline
    enumerators by kind; `attrs` is the token range of the attribute dictionary, braces included, or None, and
    `attrs_at` the token before which a new dictionary goes.
    """

    __slots__ = ("attrs", "attrs_at", "enums", "operand_types", "operands", "result_types", "types")

    def __init__(
        self,
        operands: list[tuple[str, int]] | None = None,
        types: dict[str, TypeText] | None = None,
        enums: dict[str, str] | None = None,
        attrs: tuple[int, int] | None = None,
        attrs_at: int = -1,
        operand_types: list[TypeText] | None = None,
        result_types: list[TypeText] | None = None,
    ) -> None:
        self.operands: list[tuple[str, int]] = [] if operands is None else operands
        self.types: dict[str, TypeText] = {} if types is None else types
        self.enums: dict[str, str] = {} if enums is None else enums
        self.attrs = attrs
        self.attrs_at = attrs_at
        self.operand_types: list[TypeText] = [] if operand_types is None else operand_types
        self.result_types: list[TypeText] = [] if result_types is None else result_types


class Mismatch(NamedTuple):
    """Where the text departs from the form, and what was expected there."""

    token: int
    expected: str


@lru_cache(maxsize=512)
def compile_assembly(assembly: str) -> tuple[tuple[str, str], ...]:
    """The items of an assembly string as `(action, argument)` pairs.

    >>> compile_assembly("$a , int : type(a)")
    (('use', 'a'), ('token', ','), ('int', ''), ('token', ':'), ('type', 'a'))
    """
    items: list[tuple[str, str]] = []
    for word in assembly.split():
        if word.startswith("$"):
            items.append(("uses", word[1:-1]) if word.endswith("*") else ("use", word[1:]))
        elif word.startswith("type("):
            items.append(("type", word[5:-1]))
        elif word.startswith("<") and len(word) > 2:
            items.append(("enum", word[1:-1]))
        elif word.startswith('"') and len(word) > 2:
            items.append(("string", word[1:-1]))
        elif word == "[...]":
            items.append(("skip", "["))
        elif word in ("bool", "int", "attrs"):
            items.append((word, ""))
        elif word == "[:":
            items.append(("optional", ""))
        elif word == ":]":
            items.append(("end", ""))
        else:
            items.append(("token", word))
    return tuple(items)


def bind(op: Op, spec: OpSpec) -> Bound | Mismatch:
    """The operation's operands, types and attributes by role, or where its text departs from its form."""
    if op.is_generic:
        return bind_generic(op, spec)
    if spec.assembly == "generic":
        return Mismatch(op.name_token, f'the generic form, `"{spec.name}"(…) : (…) -> …`')
    if " | " in spec.assembly:
        return _match_any(op, spec.assembly.split(" | "))
    return _match_custom(op, compile_assembly(spec.assembly))


def _match_any(op: Op, forms: list[str]) -> Bound | Mismatch:
    """The first form that matches, or the mismatch that got furthest."""
    furthest: Mismatch | None = None
    for form in forms:
        found = _match_custom(op, compile_assembly(form))
        if isinstance(found, Bound):
            return found
        if furthest is None or found.token > furthest.token:
            furthest = found
    assert furthest is not None
    return furthest


def _match_custom(op: Op, items: tuple[tuple[str, str], ...]) -> Bound | Mismatch:
    texts = op.stream.texts
    bound = Bound()
    at, last = op.name_token + 1, op.last
    skipping = False
    for position, (action, argument) in enumerate(items):
        if skipping:
            skipping = action != "end"
            continue
        token = texts[at] if at < last else ""
        if action == "token":
            if token != argument:
                return Mismatch(at, f"`{argument}`")
            at += 1
        elif action == "use":
            if token[:1] != "%":
                return Mismatch(at, f"operand `{argument}`")
            bound.operands.append((argument, at))
            at += 1
        elif action == "uses":
            while token[:1] == "%":
                bound.operands.append((argument, at))
                at += 1
                if at >= last or texts[at] != ",":
                    break
                at += 1
                token = texts[at] if at < last else ""
                if token[:1] != "%":
                    return Mismatch(at, f"operand `{argument}`")
        elif action == "type":
            end = scan_type(texts, at, last)
            if end is None:
                return Mismatch(at, f"the type of `{argument}`")
            bound.types[argument] = TypeText(at, end, op.stream.range_text(at, end))
            at = end
        elif action == "enum":
            if token != "<" or at + 2 >= last or texts[at + 2] != ">":
                return Mismatch(at, f"`<{argument}>`")
            bound.enums[argument] = texts[at + 1]
            at += 3
        elif action == "string":
            if token[:1] != '"':
                return Mismatch(at, f"the string `{argument}`")
            bound.enums[argument] = token[1:-1]
            at += 1
        elif action == "skip":
            if token != argument:
                return Mismatch(at, f"`{argument}`")
            at = skip_bracket(texts, at, last)
        elif action == "attrs":
            bound.attrs_at = at
            if token == "{":
                end = skip_bracket(texts, at, last)
                bound.attrs = (at, end)
                at = end
        elif action == "bool":
            if token not in ("true", "false"):
                return Mismatch(at, "`true` or `false`")
            bound.enums.setdefault("bool", token)
            at += 1
        elif action == "int":
            if token == "-":
                at += 1
            if at >= last or not is_number(texts[at]):
                return Mismatch(at, "an integer")
            at += 1
        elif action == "optional":
            following = items[position + 1]
            skipping = token != following[1] if following[0] == "token" else token[:1] not in "%<" or not token
    if at + 1 < last and texts[at] == "loc" and texts[at + 1] == "(":
        at = skip_bracket(texts, at + 1, last)
    if at < last:
        return Mismatch(at, "the end of the operation")
    return bound


def bind_generic(op: Op, spec: OpSpec | None) -> Bound | Mismatch:
    """The generic form `"name"(operands) <{properties}> ({regions}) {attrs} : (types) -> types`, by role."""
    texts, last = op.stream.texts, op.last
    bound = Bound()
    at = op.name_token + 1
    if at >= last or texts[at] != "(":
        return Mismatch(at, "`(`")
    close = skip_bracket(texts, at, last)
    tokens = [index for index in range(at + 1, close - 1) if texts[index][0] == "%"]
    at = close
    regions = {region.first: region.last for region in op.regions}
    while at < last and texts[at] != ":":
        if at in regions:
            at = regions[at]
        elif texts[at] == "(" and at + 1 in regions:
            at += 1
        elif texts[at] == "{":
            end = skip_bracket(texts, at, last)
            bound.attrs = (at, end)
            at = end
        elif texts[at] in _OPEN:
            at = skip_bracket(texts, at, last)
        else:
            at += 1
    if at >= last:
        return Mismatch(at, "`:`")
    bound.attrs_at = at
    if at + 1 >= last or texts[at + 1] != "(":
        return Mismatch(at + 1, "`(`")
    arrow = skip_bracket(texts, at + 1, last)
    if arrow >= last or texts[arrow] != "->":
        return Mismatch(arrow, "`->`")
    if arrow + 1 >= last:
        return Mismatch(arrow + 1, "a type")
    types = trailing_types(op, at + 1)
    if isinstance(types, Mismatch):
        return types
    bound.operand_types, bound.result_types = types
    if len(bound.operand_types) != len(tokens):
        return Mismatch(at + 1, f"{len(tokens)} operand type{'s' * (len(tokens) != 1)}")
    if spec is None:
        bound.operands = [("", token) for token in tokens]
        return bound
    roles = _segmented(op, spec) or _spread(spec.operands, len(tokens))
    if roles is None or len(roles) != len(tokens):
        return Mismatch(op.name_token + 1, f"{len(spec.operands)} operands")
    bound.operands = list(zip(roles, tokens, strict=True))
    for role_name, type_text in zip(roles, bound.operand_types, strict=True):
        bound.types.setdefault(role_name, type_text)
    for role, type_text in zip(spec.results, bound.result_types, strict=False):
        bound.types[role.name] = type_text
    return bound


def _spread(roles: tuple[Role, ...], count: int) -> list[str] | None:
    """Role names for `count` operands, the variadic role, or the one optional role, taking what the others leave.

    None if so many operands cannot be, or if it is open which of several optional ones there are.
    """
    flexible = [role for role in roles if role.variadic or role.optional]
    left = count - len(roles) + len(flexible)
    most = count if any(role.variadic for role in roles) else len(flexible)
    if not 0 <= left <= most or (len(flexible) > 1 and 0 < left < most):
        return None
    out: list[str] = []
    for role in roles:
        out.extend([role.name] * (left if role.variadic else min(left, 1) if role.optional else 1))
    return out


def _segmented(op: Op, spec: OpSpec) -> list[str] | None:
    """Role names as `operandSegmentSizes = array<i32: …>` deals them out, None without such an attribute.

    A segment of two operands is a role and the optional one behind it.
    """
    texts = op.stream.texts
    at = next((token for token in op.body_tokens() if texts[token].strip('"') == "operandSegmentSizes"), -1)
    if at < 0 or at + 3 >= op.last:
        return None
    sizes = [int(texts[token]) for token in range(at, skip_bracket(texts, at + 3, op.last)) if is_number(texts[token])]
    roles = list(spec.operands)
    out: list[str] = []
    for number, size in enumerate(sizes):
        joined = 1 + (len(roles) - 1 > len(sizes) - 1 - number)
        out.extend(role.name for role in roles[: min(size, joined)])
        del roles[:joined]
    return out


def trailing_types(op: Op, at: int) -> tuple[list[TypeText], list[TypeText]] | Mismatch:
    """The types before and after the arrow (or `into`, `to`) from token `at` to the end or the first region."""
    texts = op.stream.texts
    last = next((region.first for region in op.regions if region.first > at), op.last)
    sides: tuple[list[TypeText], list[TypeText]] = ([], [])
    side = 0
    while at < last:
        token = texts[at]
        if token in ("->", "into", "to"):
            side = 1
            at += 1
        elif token == ",":
            at += 1
        elif token in ("loc", ":", "{", "case", "default"):
            break
        elif token == "(":
            close = skip_bracket(texts, at, last)
            wrong = _list_types(op, at + 1, close - 1, sides[side])
            if wrong is not None:
                return wrong
            at = close
        else:
            end = scan_type(texts, at, last)
            if end is None:
                return Mismatch(at, "a type")
            sides[side].append(TypeText(at, end, op.stream.range_text(at, end)))
            at = end
    return sides


def _list_types(op: Op, at: int, last: int, types: list[TypeText]) -> Mismatch | None:
    """Append the types, separated by commas, of tokens `[at, last)`."""
    texts = op.stream.texts
    while at < last:
        end = scan_type(texts, at, last)
        if end is None:
            return Mismatch(at, "a type")
        types.append(TypeText(at, end, op.stream.range_text(at, end)))
        if end < last and texts[end] != ",":
            return Mismatch(end, "`,` or `)`")
        at = end + 1
    return None


def scan_type(texts: list[str], at: int, last: int) -> int | None:
    """The index behind the type that begins at `at`, None if none does."""
    while at < last and texts[at] == "(":
        at = skip_bracket(texts, at, last)
        if at >= last or texts[at] != "->":
            return at
        at += 1
    if at >= last:
        return None
    token = texts[at]
    if token == "<":
        return skip_bracket(texts, at, last)
    if not (token[0].isalpha() or token[0] in "!_"):
        return None
    at += 1
    if at < last and texts[at] == "<":
        return skip_bracket(texts, at, last)
    return None if token in _SHAPED else at


def skip_bracket(texts: list[str], at: int, last: int) -> int:
    """The index behind the bracket group that opens at `at` (`last` if it never closes)."""
    depth = 0
    while at < last:
        token = texts[at]
        at += 1
        if token in _OPEN:
            depth += 1
        elif token in _CLOSE:
            depth -= 1
            if depth == 0:
                return at
    return last


def attribute_entries(op: Op, attrs: tuple[int, int]) -> dict[str, tuple[int, int]]:
    """Name to token range (name included) of each entry of an attribute dictionary."""
    texts = op.stream.texts
    entries: dict[str, tuple[int, int]] = {}
    first, last = attrs[0] + 1, attrs[1] - 1
    at = begin = first
    while at <= last:
        token = texts[at]
        if at == last or token == ",":
            if at > begin:
                entries[texts[begin].strip('"')] = (begin, at)
            begin = at = at + 1
        elif token in _OPEN:
            at = skip_bracket(texts, at, last)
        else:
            at += 1
    return entries
