"""Reads MLIR text of any dialect, custom and generic forms, into a lossless tree.

The reader knows structure, not operations: an operation is its results, its name, and then tokens with balanced
brackets and nested regions, up to a token that begins another operation. What that token may be is decided by
`_begins_op`; whether a brace opens a region or an attribute dictionary, by `_opens_region`. Broken text is reported
for each place, and reading goes on at the next line that begins an operation.
"""

from __future__ import annotations

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.mlir.lexer import TokenStream, tokenize
from layoutsolver.mlir.syntax import CONTINUES, REGION_OPS, UNDOTTED_OPS
from layoutsolver.mlir.tree import Argument, Block, Module, Name, Op, Region
from layoutsolver.source import SourceFile, Span

MAX_NESTING = 128
"""Regions nested deeper than this are reported and not entered."""

_OPEN = {"(": ")", "[": "]", "{": "}", "<": ">"}
_CLOSE = frozenset(_OPEN.values())


def read(source: SourceFile | str) -> Module:
    """The tree of a text, with a diagnostic in `module.diagnostics` for each place that is broken.

    `str(read(text)) == text` holds for every text, broken or not.

    >>> module = read("%a = test.op %b : i32 // why")
    >>> module.ops[0].name, str(module)
    ('test.op', '%a = test.op %b : i32 // why')
    """
    if isinstance(source, str):
        source = SourceFile("<string>", source)
    return _Reader(source, tokenize(source.text)).read_module()


class _Reader:
    """One pass over a token stream; `at` is the index of the next token."""

    def __init__(self, source: SourceFile, stream: TokenStream) -> None:
        self.source = source
        self.stream = stream
        self.texts = stream.texts
        self.line_first = stream.line_first
        self.end = len(stream.texts) - 1
        self.at = 0
        self.depth = 0
        self.diagnostics: list[Diagnostic] = []
        self.aliases: dict[str, str] = {}

    def read_module(self) -> Module:
        module = Module(self.source, self.stream)
        while True:
            module.ops.extend(self.read_ops())
            if self.at >= self.end:
                break
            self.report("LS0004", self.at, f"unexpected `{self.texts[self.at]}` outside of any operation")
            self.at += 1
        module.aliases = self.aliases
        module.diagnostics = self.diagnostics
        return module

    def report(self, code: str, token: int, message: str, related: tuple[int, str] | None = None) -> None:
        secondary = (self.label(*related),) if related else ()
        self.diagnostics.append(Diagnostic(code, "error", message, self.label(token), secondary))

    def label(self, token: int, text: str = "") -> Label:
        return Label(self.source, Span(self.stream.starts[token], self.stream.end(token)), text)

    def read_ops(self) -> list[Op]:
        """The operations up to a `}`, a block label or the end of the text."""
        ops: list[Op] = []
        texts = self.texts
        while True:
            token = texts[self.at]
            if not token or token == "}" or token[0] == "^":
                return ops
            first = token[0]
            if first in "#!" and texts[self.at + 1] == "=":
                self.read_alias()
            elif token == "{-#":
                self.skip_metadata()
            elif first in '%"' or first.isalpha() or first == "_":
                ops.append(self.read_op())
            else:
                self.report("LS0004", self.at, f"expected an operation, found `{token}`")
                self.at += 1
                self.skip_to_op()

    def skip_to_op(self) -> None:
        """Go to the next line that begins an operation, or to a `}` or the end."""
        while self.at < self.end and self.texts[self.at] != "}":
            if self.line_first[self.at] and _begins_op(self.texts, self.at, ""):
                return
            self.at += 1

    def skip_metadata(self) -> None:
        opened = self.at
        while self.at < self.end and self.texts[self.at] != "#-}":
            self.at += 1
        if self.at >= self.end:
            self.report("LS0003", opened, "`{-#` is never closed by `#-}`")
        else:
            self.at += 1

    def read_alias(self) -> None:
        name = self.texts[self.at]
        self.at += 2
        value = self.at
        depth = 0
        while self.at < self.end:
            token = self.texts[self.at]
            if self.at > value and depth == 0 and self.line_first[self.at] and token[0] not in "<([{":
                break
            if token in _OPEN:
                depth += 1
            elif token in _CLOSE:
                depth -= 1
                if depth < 0:
                    break
            self.at += 1
        self.aliases[name] = self.stream.range_text(value, self.at)

    def read_results(self) -> tuple[Name, ...]:
        texts = self.texts
        names: list[Name] = []
        while texts[self.at][:1] == "%":
            token, count = self.at, 1
            self.at += 1
            if texts[self.at] == ":" and texts[self.at + 1].isdigit():
                count = int(texts[self.at + 1])
                self.at += 2
            names.append(Name(texts[token], token, count))
            if texts[self.at] != ",":
                break
            self.at += 1
        if texts[self.at] == "=":
            self.at += 1
        else:
            self.report("LS0004", self.at if self.at < self.end else names[-1].token, "expected `=` after results")
        return tuple(names)

    def read_op(self) -> Op:
        first = self.at
        texts = self.texts
        results = self.read_results() if texts[first][0] == "%" else ()
        token = texts[self.at]
        if not (token[:1].isalpha() or token[:1] in ("_", '"')) or (token[0] == '"' and len(token) < 3):
            here = self.at if self.at < self.end else self.end - 1
            self.report("LS0004", here, "expected the name of an operation")
            if self.at == first:
                self.at += 1
            op = Op(self.stream, "", here, first, results)
            self.skip_to_op()
            op.last = max(self.at, here + 1)
            self.at = op.last
            return op
        name = token.strip('"')
        op = Op(self.stream, name, self.at, first, results)
        self.at += 1
        self.read_body(op)
        op.last = self.at
        return op

    def read_body(self, op: Op) -> None:
        """Everything behind the name: tokens, brackets, regions; ends before the next operation."""
        texts, line_first, uses = self.texts, self.line_first, op.uses
        opened: list[int] = []
        name = op.name
        generic = op.is_generic
        after_region = False
        at = self.at
        end = self.end
        while at < end:
            token = texts[at]
            char = token[0]
            if not opened:
                if (line_first[at] or after_region) and _begins_op(texts, at, texts[at - 1]):
                    break
                if token == "}":
                    break
            elif line_first[at] and char in '%"' and _begins_definition(texts, at):
                self.report(
                    "LS0003", opened[-1], f"`{texts[opened[-1]]}` is never closed",
                    (at, "the next operation begins here"),
                )  # fmt: skip
                opened.clear()
                break
            after_region = False
            if char == "%":
                uses.append(at)
            elif token in _OPEN:
                inner = texts[opened[-1]] if opened else ""
                if token == "{" and _opens_region(texts, at, name, generic, inner):
                    self.at = at
                    op.regions.append(self.read_region())
                    at = self.at
                    after_region = True
                    continue
                opened.append(at)
            elif token in _CLOSE:
                if not opened or _OPEN[texts[opened[-1]]] != token:
                    at = self.recover_bracket(at, opened)
                    continue
                opened.pop()
            elif char == '"' and (len(token) < 2 or token[-1] != '"'):
                self.report("LS0007", at, "string is never closed")
            at += 1
        for bracket in opened:
            self.report("LS0003", bracket, f"`{texts[bracket]}` is never closed")
        self.at = at

    def recover_bracket(self, at: int, opened: list[int]) -> int:
        """Report a closing bracket that fits nothing open; the index at which to go on."""
        token = self.texts[at]
        while opened and _OPEN[self.texts[opened[-1]]] != token and any(
            _OPEN[self.texts[index]] == token for index in opened
        ):  # fmt: skip
            wrong = opened.pop()
            self.report("LS0003", wrong, f"`{self.texts[wrong]}` is never closed", (at, "closed too early here"))
        if opened and _OPEN[self.texts[opened[-1]]] == token:
            opened.pop()
            return at + 1
        if token == "}":
            for bracket in opened:
                self.report("LS0003", bracket, f"`{self.texts[bracket]}` is never closed")
            opened.clear()
            return at
        self.report("LS0004", at, f"`{token}` closes nothing")
        return at + 1

    def read_region(self) -> Region:
        region = Region(self.at)
        self.depth += 1
        if self.depth > MAX_NESTING:
            self.report("LS0006", self.at, f"regions nest deeper than {MAX_NESTING} levels")
            self.skip_balanced()
        else:
            self.at += 1
            while True:
                region.blocks.append(self.read_block())
                if self.texts[self.at][:1] != "^":
                    break
            if self.texts[self.at] == "}":
                self.at += 1
            else:
                self.report("LS0003", region.first, "`{` opens a region that is never closed")
        region.last = self.at
        self.depth -= 1
        return region

    def skip_balanced(self) -> None:
        depth = 0
        while self.at < self.end:
            token = self.texts[self.at]
            self.at += 1
            if token == "{":
                depth += 1
            elif token == "}":
                depth -= 1
                if depth == 0:
                    return

    def read_block(self) -> Block:
        block = Block(self.at, "")
        if self.texts[self.at][:1] == "^":
            block.label = self.texts[self.at]
            self.at += 1
            if self.texts[self.at] == "(":
                block.arguments = self.read_arguments()
            if self.texts[self.at] == ":":
                self.at += 1
            else:
                here = min(self.at, self.end - 1)
                self.report("LS0004", here, f"expected `:` after block label `{block.label}`")
        block.body = self.at
        block.ops = self.read_ops()
        block.last = self.at
        return block

    def read_arguments(self) -> list[Argument]:
        opened = self.at
        arguments, self.at, closed = parse_arguments(self.stream, opened)
        if not closed:
            self.report("LS0003", opened, "`(` is never closed")
        return arguments


def parse_arguments(stream: TokenStream, opened: int) -> tuple[list[Argument], int, bool]:
    """The `%name: type` items in the parentheses at token `opened`, the index behind them, and whether they close.

    Items without a name (types of a declaration) and attributes behind a type are passed over.
    """
    texts = stream.texts
    arguments: list[Argument] = []
    depth = 0
    at = opened
    start = -1
    name: Name | None = None

    def finish(last: int) -> None:
        nonlocal name, start
        if name is not None and start >= 0:
            arguments.append(Argument(name, stream.range_text(start, last), start, last))
        elif name is not None:
            arguments.append(Argument(name, "", name.token, name.token))
        name, start = None, -1

    while at < len(texts) - 1:
        token = texts[at]
        if token in _OPEN:
            if depth == 1 and token == "{" and name is not None and start >= 0:
                finish(at)
            depth += 1
        elif token in _CLOSE:
            depth -= 1
            if depth == 0:
                finish(at)
                return arguments, at + 1, True
        elif depth == 1:
            if token[0] == "%" and name is None:
                name = Name(token, at)
            elif token == ":" and name is not None and start < 0:
                start = at + 1
            elif token == "," or (token == "loc" and name is not None and start >= 0 and texts[at + 1] == "("):
                finish(at)
        at += 1
    return arguments, at, False


def _begins_definition(texts: list[str], at: int) -> bool:
    """Whether `%a, %b:2 = name` or `"name"(` with results stands here: nothing inside brackets looks like that."""
    if texts[at][0] != "%":
        return False
    while texts[at][:1] == "%":
        at += 1
        if texts[at] == ":" and texts[at + 1].isdigit():
            at += 2
        if texts[at] != ",":
            break
        at += 1
    if texts[at] != "=":
        return False
    follows = texts[at + 1][:1]
    return follows.isalpha() or follows == '"'


def _begins_op(texts: list[str], at: int, before: str) -> bool:
    """Whether the token at a line's beginning (or behind a region) begins a new operation, label or alias."""
    token = texts[at]
    char = token[:1]
    if before in CONTINUES:
        return False
    if char == "%":
        return _begins_definition(texts, at)
    if char == '"':
        return texts[at + 1] == "("
    if char == "^":
        return texts[at + 1] in (":", "(")
    if char in ("#", "!"):
        return texts[at + 1] == "="
    if char.isalpha() or char == "_":
        return "." in token[:-1] or token in UNDOTTED_OPS
    return token == "{-#"


def _opens_region(texts: list[str], at: int, name: str, generic: bool, inner: str) -> bool:
    """Whether the `{` at `at` opens a region of operation `name`, inside bracket `inner` (empty at the top)."""
    if inner:
        return inner == "(" and generic and texts[at - 1] in ("(", ",")
    if texts[at - 1] == "attributes":
        return False
    follows = texts[at + 1]
    char = follows[:1]
    if char in ("%", "^"):
        return True
    if char == '"':
        return texts[at + 2] == "("
    if char == "}":
        return name in REGION_OPS
    if not (char.isalpha() or char == "_"):
        return False
    then = texts[at + 2]
    if then in ("=", ","):
        return False
    if then == "}":
        return ("." in follows and name in REGION_OPS) or follows in UNDOTTED_OPS
    return True
