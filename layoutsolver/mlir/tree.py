"""The lossless tree of an MLIR file: operations, regions, blocks, and the tokens they are made of.

`str(module)` walks the tree and gives the text back; an operation that nobody knows is still an `Op`, with its
results, operand uses, regions and span.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.mlir.lexer import TokenStream
from layoutsolver.source import SourceFile, Span


@dataclass(frozen=True, slots=True)
class Name:
    """A defined SSA name: `%x`, or `%x:2` with `count` 2; `token` is its index in the stream."""

    text: str
    token: int
    count: int = 1


@dataclass(frozen=True, slots=True)
class Argument:
    """A block argument with its printed type (empty where the syntax prints none)."""

    name: Name
    type_text: str
    type_first: int
    type_last: int


@dataclass(slots=True, eq=False)
class Block:
    """A block: its label token (-1 for an entry block without one), arguments and operations."""

    first: int
    label: str
    arguments: list[Argument] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    body: int = -1
    last: int = -1


@dataclass(slots=True, eq=False)
class Region:
    """A region between the braces at tokens `first` and `last - 1`."""

    first: int
    blocks: list[Block] = field(default_factory=list)
    last: int = -1


@dataclass(slots=True, eq=False)
class Op:
    """An operation: tokens `[first, last)`, of which `regions` hold nested ones.

    `uses` are the indices of the `%name` tokens in the operation's own text, block arguments that the syntax
    introduces there (`scf.for %i = …`) among them; the op table tells them apart.
    """

    stream: TokenStream
    name: str
    name_token: int
    first: int
    results: tuple[Name, ...]
    regions: list[Region] = field(default_factory=list)
    uses: list[int] = field(default_factory=list)
    last: int = -1

    @property
    def is_generic(self) -> bool:
        """Whether the operation is written in the generic form, `"name"(…) : (…) -> …`."""
        return self.stream.texts[self.name_token][0] == '"'

    @property
    def name_span(self) -> Span:
        """The span of the operation's name, where messages about it point."""
        return self.token_span(self.name_token)

    @property
    def span(self) -> Span:
        """The span from the first token to the last."""
        return Span(self.stream.starts[self.first], self.stream.end(self.last - 1))

    def token_span(self, token: int) -> Span:
        """The span of one token."""
        return Span(self.stream.starts[token], self.stream.end(token))

    def body_tokens(self) -> Iterator[int]:
        """Indices of the tokens behind the name that do not belong to a region."""
        at = self.name_token + 1
        for region in self.regions:
            yield from range(at, region.first)
            at = region.last
        yield from range(at, self.last)

    def walk(self) -> Iterator[Op]:
        """The operation and all nested ones, parents first, in the order of the text."""
        stack = [iter((self,))]
        while stack:
            op = next(stack[-1], None)
            if op is None:
                stack.pop()
                continue
            yield op
            if op.regions:
                stack.append(iter([inner for r in op.regions for b in r.blocks for inner in b.ops]))


@dataclass(slots=True, eq=False)
class Module:
    """A file as read: its operations at the top level, what stands between them, and what was wrong in it."""

    source: SourceFile
    stream: TokenStream
    ops: list[Op] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def walk(self) -> Iterator[Op]:
        """All operations, parents first, in the order of the text."""
        for op in self.ops:
            yield from op.walk()

    def __str__(self) -> str:
        """The text, put together from the tree; equal to what was read."""
        out: list[str] = []
        _write_ops(self.ops, self.stream, 0, len(self.stream.texts) - 1, out)
        return "".join(out)


def _write_ops(ops: list[Op], stream: TokenStream, first: int, last: int, out: list[str]) -> None:
    """Append the text of tokens `[first, last)`, taking what operations cover from the operations."""
    lead = stream.piece_index[first] if first else 0
    at = first
    for op in ops:
        out.extend(stream.pieces[lead : stream.piece_index[op.first]])
        _write_op(op, out)
        at, lead = op.last, stream.piece_index[op.last]
    out.extend(stream.pieces[lead : stream.piece_index[max(at, last)]])


def _write_op(op: Op, out: list[str]) -> None:
    stream = op.stream
    at = op.first
    for region in op.regions:
        out.append(stream.text_between(at, region.first))
        at = region.first
        for block in region.blocks:
            out.append(stream.text_between(at, block.body))
            _write_ops(block.ops, stream, block.body, block.last, out)
            at = block.last
    out.append(stream.text_between(at, op.last))
