"""One row per operation: its syntax, which rule family decides its layouts, and what it does to memory."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple


class Kind(Enum):
    """What an operand or result may be."""

    VECTOR = "vector"
    MASK = "mask"
    MEMREF = "memref"
    POINTER = "pointer"
    INDEX = "index"
    SCALAR = "scalar"
    INDEX_VECTOR = "vector of indices"
    ANY = "any"


class Effect(Enum):
    """What an operation does besides computing its results."""

    PURE = "pure"
    READ = "read"
    WRITE = "write"
    ORDER = "order"
    CONTROL = "control"
    CALL = "call"


class Role(NamedTuple):
    """A named operand or result of an operation."""

    name: str
    kind: Kind
    variadic: bool = False
    optional: bool = False


class Attribute(NamedTuple):
    """An entry of the attribute dictionary: `kind` is string, int, unit or any; `values` are a string's, if listed."""

    name: str
    kind: str
    values: tuple[str, ...] = ()
    required: bool = False


class OpSpec(NamedTuple):
    """An operation as the tables describe it.

    `assembly` is the custom form behind the name, in the notation of `layoutsolver.ops.assembly`; `result_types`
    says of which operand a result takes its type where the text does not print it; `same_type` are the roles whose
    types must be equal, layouts included; `rule` names the layout rule family.
    """

    name: str
    operands: tuple[Role, ...]
    results: tuple[Role, ...]
    assembly: str
    rule: str
    effect: Effect
    same_type: tuple[str, ...] = ()
    result_types: Mapping[str, str] = MappingProxyType({})
    source: str = ""
    attributes: tuple[Attribute, ...] = ()
