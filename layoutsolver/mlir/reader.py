"""Reads MLIR text of any dialect, custom and generic forms, into a lossless tree.

The reader knows structure, not operations: an operation is its results, its name, and then tokens with balanced
brackets and nested regions, up to a token that begins another operation. What that token may be is decided by
`_begins_op`; whether a brace opens a region or an attribute dictionary, by `_opens_region`. Broken text is reported
for each place, and reading goes on at the next line that begins an operation.
"""

from __future__ import annotations

from layoutsolver.diagnostics.diagnostic import Diagnostic, Label
from layoutsolver.mlir.lexer import TokenStream, is_number, is_unclosed_string, tokenize
from layoutsolver.mlir.syntax import CONTINUES, REGION_OPS, UNDOTTED_OPS
from layoutsolver.mlir.tree import Argument, Block, Module, Name, Op, Region
from layoutsolver.source import SourceFile, Span

MAX_NESTING = 128
"""Regions nested deeper than this are reported and not entered."""

MAX_RESULTS = 65536
"""`%x:n` with a larger `n` is reported and taken for a single result."""

_OPEN = {"(": ")", "[": "]", "{": "}", "<": ">"}
_OPENING = {closing: opening for opening, closing in _OPEN.items()}
_CLOSE = frozenset(_OPENING)
_MEANINGFUL = frozenset("%()[]{}<>")


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
        unclosed = {token for token in set(self.texts) if token[:1] == '"' and is_unclosed_string(token)}
        if unclosed:
            for index, token in enumerate(self.texts):
                if token in unclosed:
                    self.report("LS0007", index, "string is never closed")
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
            if self.line_first[self.at] and _begins_op(self.texts, self.line_first, self.at, ""):
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
        texts, line_first = self.texts, self.line_first
        name = texts[self.at]
        if len(name) < 2:
            self.report("LS0004", self.at, f"expected the name of an alias behind `{name}`")
        self.at += 2
        value = self.at
        opened: list[int] = []
        while self.at < self.end:
            token = texts[self.at]
            if self.at > value and line_first[self.at]:
                if not opened and token[0] not in "<([{":
                    break
                if opened and (_surely_begins_op(texts, line_first, self.at) or _begins_alias(texts, self.at)):
                    break
            if token in _OPEN:
                opened.append(self.at)
            elif token in _CLOSE:
                if not opened:
                    break
                opened.pop()
            self.at += 1
        for bracket in opened:
            self.report("LS0003", bracket, f"`{texts[bracket]}` is never closed")
        if self.at == value:
            self.report("LS0004", min(value, self.end - 1), f"expected what `{name}` stands for")
        self.aliases[name] = self.stream.range_text(value, self.at)

    def read_results(self) -> tuple[Name, ...]:
        texts = self.texts
        names: list[Name] = []
        while texts[self.at][:1] == "%":
            token, count = self.at, 1
            if len(texts[token]) < 2 or "#" in texts[token]:
                self.report("LS0004", token, f"expected the name of a result, found `{texts[token]}`")
            self.at += 1
            if texts[self.at] == ":" and is_number(texts[self.at + 1]):
                count = self.result_count(self.at + 1)
                self.at += 2
            names.append(Name(texts[token], token, count))
            if texts[self.at] != ",":
                break
            self.at += 1
        if texts[self.at] == "=":
            self.at += 1
        else:
            here = self.at if self.at < self.end and not self.line_first[self.at] else names[-1].token
            self.report("LS0004", here, "expected `=` after results")
        return tuple(names)

    def result_count(self, token: int) -> int:
        digits = self.texts[token].lstrip("0")
        count = int(digits[:9] or "0") if len(digits) < 10 else MAX_RESULTS + 1
        if 0 < count <= MAX_RESULTS:
            return count
        self.report("LS0004", token, f"expected a number of results from 1 to {MAX_RESULTS}")
        return 1

    def read_op(self) -> Op:
        first = self.at
        texts = self.texts
        results = self.read_results() if texts[first][0] == "%" else ()
        token = texts[self.at]
        quoted = token[:1] == '"'
        if quoted and is_unclosed_string(token):
            return self.read_nameless(first, results)
        if not (token[:1].isalpha() or token[:1] == "_" or (quoted and len(token) > 2)):
            here = self.at - 1 if self.nothing_left(first) else self.at
            self.report("LS0004", here, "expected the name of an operation")
            return self.read_nameless(first, results)
        name = token.strip('"')
        undotted = token[0] != '"' and "." not in token and token not in UNDOTTED_OPS
        if undotted and texts[self.at + 1] != "=":
            message = f"`{token}` is no operation: names begin with their dialect, as in `arith.addi`"
            self.report("LS0004", self.at, message)
        op = Op(self.stream, name, self.at, first, results)
        self.at += 1
        self.read_body(op)
        op.last = self.at
        return op

    def nothing_left(self, first: int) -> bool:
        """Whether the operation that begins at token `first` ends before the next token."""
        if self.at == first:
            return False
        return self.at >= self.end or self.texts[self.at] == "}" or (
            self.line_first[self.at] and _begins_op(self.texts, self.line_first, self.at, "")
        )  # fmt: skip

    def read_nameless(self, first: int, results: tuple[Name, ...]) -> Op:
        """An operation without a readable name (reported by the caller): everything up to the next operation."""
        op = Op(self.stream, "", self.at - 1 if self.nothing_left(first) else self.at, first, results)
        if self.at == first:
            self.at += 1
        self.skip_to_op()
        op.last = max(self.at, op.name_token + 1)
        self.at = op.last
        return op

    def read_body(self, op: Op) -> None:
        """Everything behind the name: tokens, brackets, regions; ends before the next operation."""
        texts, line_first, uses = self.texts, self.line_first, op.uses
        opened: list[int] = []
        name = op.name
        generic = op.is_generic
        after_region = False
        counts = dict.fromkeys(_OPEN, 0)
        scanned = 0
        at = self.at
        end = self.end
        while at < end:
            token = texts[at]
            char = token[0]
            if char not in _MEANINGFUL and not line_first[at] and not after_region:
                at += 1
                continue
            if not opened:
                if (line_first[at] or after_region) and _begins_op(texts, line_first, at, texts[at - 1]):
                    break
                if token == "}":
                    break
            elif line_first[at] and at >= scanned and _surely_begins_op(texts, line_first, at):
                self.report(
                    "LS0003", opened[-1], f"`{texts[opened[-1]]}` is never closed",
                    (at, "the next operation begins here"),
                )  # fmt: skip
                opened.clear()
                break
            elif char == "%" and line_first[at] and at >= scanned:
                scanned = _names_end(texts, at)
            if char == "%":
                uses.append(at)
            elif token in _OPEN:
                inner = texts[opened[-1]] if opened else ""
                if token == "{" and _opens_region(texts, at, name, generic, inner, after_region):
                    self.at = at
                    op.regions.append(self.read_region())
                    at = self.at
                    after_region = True
                    continue
                opened.append(at)
                counts[token] += 1
            elif token in _CLOSE:
                if not opened or _OPEN[texts[opened[-1]]] != token:
                    at = self.recover_bracket(at, opened, counts)
                    after_region = False
                    continue
                counts[texts[opened.pop()]] -= 1
            after_region = False
            at += 1
        for bracket in opened:
            self.report("LS0003", bracket, f"`{texts[bracket]}` is never closed")
        self.at = at

    def recover_bracket(self, at: int, opened: list[int], counts: dict[str, int]) -> int:
        """Report a closing bracket that does not fit the last open one; the index at which to go on."""
        token = self.texts[at]
        opening = _OPENING[token]
        if counts[opening]:
            while self.texts[opened[-1]] != opening:
                wrong = opened.pop()
                counts[self.texts[wrong]] -= 1
                self.report("LS0003", wrong, f"`{self.texts[wrong]}` is never closed", (at, "closed too early here"))
            opened.pop()
            counts[opening] -= 1
            return at + 1
        if token == "}":
            for bracket in opened:
                self.report("LS0003", bracket, f"`{self.texts[bracket]}` is never closed")
            opened.clear()
            counts.update(dict.fromkeys(_OPEN, 0))
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


def _names_end(texts: list[str], at: int) -> int:
    """The index behind the list `%a, %b:2, …` at `at`."""
    while texts[at][:1] == "%":
        at += 1
        if texts[at] == ":" and is_number(texts[at + 1]):
            at += 2
        if texts[at] != ",":
            break
        at += 1
    return at


def _begins_definition(texts: list[str], at: int) -> bool:
    """Whether `%a, %b:2 = name` stands here: nothing inside brackets looks like that."""
    at = _names_end(texts, at)
    if texts[at] != "=":
        return False
    return _is_name(texts[at + 1])


def _begins_results(texts: list[str], at: int, before: str) -> bool:
    """Whether results stand here, outside of brackets, well formed or not: `%a = …`, `%a foo.bar`.

    Behind the name of an operation, which is `before`, they may be something else: `affine.for %i = 0`.
    """
    at = _names_end(texts, at)
    follows = texts[at]
    if follows == "=":
        return "." not in before or not before[0].isalpha() or _is_name(texts[at + 1])
    return "." in follows[:-1] and follows[0].isalpha()


def _is_name(token: str) -> bool:
    return token[:1].isalpha() or token[:1] == '"'


def _begins_alias(texts: list[str], at: int) -> bool:
    return texts[at][0] in "#!" and len(texts[at]) > 1 and texts[at + 1] == "="


def _surely_begins_op(texts: list[str], line_first: list[bool], at: int) -> bool:
    """Whether what stands at a line's beginning can only be an operation, even while a bracket is open."""
    token = texts[at]
    char = token[0]
    if char == "%":
        return _begins_definition(texts, at)
    follows = texts[at + 1]
    if char == '"':
        return follows == "(" and "." in token and texts[at - 1] not in CONTINUES
    if not (char.isalpha() or char == "_"):
        return False
    if token in UNDOTTED_OPS or "." in token[:-1]:
        if token.endswith(("return", "yield")) and line_first[at + 1]:
            return follows not in (",", "=")
        return follows[:1] in ("%", "@") or (token.endswith("func") and follows == "private")
    return False


def _begins_op(texts: list[str], line_first: list[bool], at: int, before: str) -> bool:
    """Whether the token at a line's beginning (or behind a region) begins a new operation, label or alias."""
    token = texts[at]
    char = token[:1]
    if before in CONTINUES:
        return line_first[at] and _surely_begins_op(texts, line_first, at)
    if char == "%":
        return _begins_results(texts, at, before)
    if char == '"':
        return texts[at + 1] == "("
    if char == "^":
        return texts[at + 1] in (":", "(")
    if char in ("#", "!"):
        return texts[at + 1] == "="
    if char.isalpha() or char == "_":
        return "." in token[:-1] or token in UNDOTTED_OPS
    return token == "{-#"


def _opens_region(texts: list[str], at: int, name: str, generic: bool, inner: str, after_region: bool) -> bool:
    """Whether the `{` at `at` opens a region of operation `name`, inside bracket `inner` (empty at the top).

    `after_region` tells that another region of the operation ends right before: an attribute dictionary may follow.
    """
    if generic:
        return inner == "(" and texts[at - 1] in ("(", ",")
    if inner:
        return False
    if texts[at - 1] == "attributes":
        return False
    follows = texts[at + 1]
    char = follows[:1]
    if char in ("%", "^"):
        return True
    if char == '"':
        return texts[at + 2] == "("
    if char == "}":
        return name in REGION_OPS and not after_region
    if not (char.isalpha() or char == "_"):
        return False
    then = texts[at + 2]
    if then in ("=", ","):
        return False
    if then == "}":
        return ("." in follows and name in REGION_OPS and not after_region) or follows in UNDOTTED_OPS
    return True
