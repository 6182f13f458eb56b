"""Checks that hold for every tree, whatever the text."""

from __future__ import annotations

from layoutsolver.mlir.tree import Module, Name, Op


def check_tree(module: Module, text: str) -> None:
    """The tree writes its text again, its parts cover it in order, and every message points into it."""
    assert str(module) == text
    assert "".join(module.stream.pieces) == text
    end = len(module.stream.texts) - 1
    _check_ops(module.ops, 0, end)
    for diagnostic in module.diagnostics:
        for label in (diagnostic.primary, *diagnostic.secondary):
            assert label is not None
            assert 0 <= label.span.start < label.span.end <= len(text)


def _check_ops(ops: list[Op], first: int, last: int) -> None:
    at = first
    for op in ops:
        assert at <= op.first <= op.name_token < op.last <= last
        at = op.first
        for region in op.regions:
            assert at <= region.first < region.last <= op.last
            inside = region.first + 1
            for block in region.blocks:
                assert inside == block.first <= block.body <= block.last <= region.last
                _check_ops(block.ops, block.body, block.last)
                inside = block.last
            at = region.last
        at = op.last


def outline(module: Module) -> list[tuple[str, tuple[tuple[str, int], ...], int]]:
    """Name, results and depth of every operation, parents first."""
    out: list[tuple[str, tuple[tuple[str, int], ...], int]] = []

    def visit(ops: list[Op], depth: int) -> None:
        for op in ops:
            out.append((op.name, tuple(_plain(name) for name in op.results), depth))
            for region in op.regions:
                for block in region.blocks:
                    visit(block.ops, depth + 1)

    visit(module.ops, 0)
    return out


def _plain(name: Name) -> tuple[str, int]:
    return name.text, name.count
