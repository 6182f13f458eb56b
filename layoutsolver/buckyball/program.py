"""A text -> Code, with everything that is wrong in it said."""

from __future__ import annotations

from layoutsolver.buckyball.ir import Code
from layoutsolver.buckyball.read import read_code
from layoutsolver.diagnostics.diagnostic import Diagnostic
from layoutsolver.graph.build import build_graph
from layoutsolver.source import SourceFile


class ReadProgram:
    """A program of Buckyball as read: its code (None where there are errors), what is to be said, whether it is broken.

    `unreadable` says that the text itself is broken.
    """

    __slots__ = ("code", "diagnostics", "unreadable")

    def __init__(self, code: Code | None, diagnostics: list[Diagnostic], unreadable: bool = False) -> None:
        self.code = code
        self.diagnostics = diagnostics
        self.unreadable = unreadable


def read_program(source: SourceFile) -> ReadProgram:
    r"""Read a text.

    >>> from layoutsolver.buckyball.write import write_code
    >>> text = "func.func @f() {\n  %b = buckyball.bank_alloc {col = 4 : i64}\n  return\n}\n"
    >>> write_code(read_program(SourceFile("a", text)).code) == text
    True
    """
    from layoutsolver.api import read_source

    module = read_source(source)
    said = list(module.diagnostics)
    if any(item.severity == "error" for item in said):
        return ReadProgram(None, said, unreadable=True)
    graph, found = build_graph(module)
    said += found
    if any(item.severity == "error" for item in found):
        return ReadProgram(None, said)
    code, wrong = read_code(graph)
    return ReadProgram(code, [*said, *wrong])
