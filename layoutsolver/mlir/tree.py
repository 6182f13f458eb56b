"""The lossless tree of an MLIR file: operations, regions, blocks, and the tokens they are made of.

`str(module)` walks the tree and gives the text back; an operation that nobody knows is still an `Op`, with its
results, operand uses, regions and span.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.mlir.lexer import TokenStream
from layoutsolver.source import SourceFile, Span


class Name(NamedTuple):
    """A defined SSA name: `%x`, or `%x:2` with `count` 2; `token` is its index in the stream."""

    text: str
    token: int
    count: int = 1  # type: ignore[assignment]  # hides the method of tuples


class Argument(NamedTuple):
    """A block argument with its printed type (empty where the syntax prints none)."""

    name: Name
    type_text: str
    type_first: int
    type_last: int


class Block:
    """A block: its label token (-1 for an entry block without one), arguments and operations."""

    __slots__ = ("arguments", "body", "first", "label", "last", "ops")

    def __init__(
        self,
        first: int,
        label: str,
        arguments: list[Argument] | None = None,
        ops: list[Op] | None = None,
        body: int = -1,
        last: int = -1,
    ) -> None:
        self.first = first
        self.label = label
        self.arguments: list[Argument] = [] if arguments is None else arguments
        self.ops: list[Op] = [] if ops is None else ops
        self.body = body
        self.last = last


class Region:
    """A region between the braces at tokens `first` and `last - 1`."""

    __slots__ = ("blocks", "first", "last")

    def __init__(self, first: int, blocks: list[Block] | None = None, last: int = -1) -> None:
        self.first = first
        self.blocks: list[Block] = [] if blocks is None else blocks
        self.last = last


class Op:
    """An operation: tokens `[first, last)`, of which `regions` hold nested ones.

    `uses` are the indices of the `%name` tokens in the operation's own text, block arguments that the syntax
    introduces there (`scf.for %i = …`) among them; the op table tells them apart.
    """

    __slots__ = ("first", "last", "name", "name_token", "regions", "results", "stream", "uses")

    def __init__(
        self,
        stream: TokenStream,
        name: str,
        name_token: int,
        first: int,
        results: tuple[Name, ...],
        regions: list[Region] | None = None,
        uses: list[int] | None = None,
        last: int = -1,
    ) -> None:
        self.stream = stream
        self.name = name
        self.name_token = name_token
        self.first = first
        self.results = results
        self.regions: list[Region] = [] if regions is None else regions
        self.uses: list[int] = [] if uses is None else uses
        self.last = last

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


class Module:
    """A file as read: its operations at the top level, what stands between them, and what was wrong in it."""

    __slots__ = ("aliases", "diagnostics", "ops", "source", "stream")

    def __init__(
        self,
        source: SourceFile,
        stream: TokenStream,
        ops: list[Op] | None = None,
        aliases: dict[str, str] | None = None,
        diagnostics: list[Diagnostic] | None = None,
    ) -> None:
        self.source = source
        self.stream = stream
        self.ops: list[Op] = [] if ops is None else ops
        self.aliases: dict[str, str] = {} if aliases is None else aliases
        self.diagnostics: list[Diagnostic] = [] if diagnostics is None else diagnostics

    def _repr_html_(self) -> str:
        """What notebooks show: the text with what is wrong in it beside the lines."""
        from layoutsolver.view.page import STYLE, program

        return f"<style>{STYLE}</style>{program(self.source, self.diagnostics)}"

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
