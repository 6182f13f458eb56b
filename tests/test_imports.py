"""Who may import whom, and how large a file may get."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {
    "layoutsolver": ROOT / "layoutsolver",
    "layoutsolver_models": ROOT / "models" / "layoutsolver_models",
    "layoutsolver_backends": ROOT / "backends" / "layoutsolver_backends",
}
ALLOWED = {
    "layoutsolver_models": {"layoutsolver_models"},
    "layoutsolver": {"layoutsolver_models", "layoutsolver"},
    "layoutsolver_backends": set(PACKAGES),
}
HEAVY = {"ortools", "networkx", "numpy", "pandas", "pydantic", "fastapi", "uvicorn", "pebble", "distributed"}
NUMERIC = (
    PACKAGES["layoutsolver_models"] / "hardware", PACKAGES["layoutsolver_models"] / "elimination",
    PACKAGES["layoutsolver"] / "verify",
)  # fmt: skip
"""Folders that are imported only to run programs or to solve large problems, and compute with numpy throughout."""
SERVICE = PACKAGES["layoutsolver"] / "service"
"""What `serve` and `batch` alone import."""
LONGEST = 600

FILES = [(name, path) for name, folder in PACKAGES.items() for path in sorted(folder.rglob("*.py"))]
IDS = [str(path.relative_to(ROOT)) for _, path in FILES]
FILE = pytest.mark.parametrize(("package", "path"), FILES, ids=IDS)


def imports(tree: ast.AST, inside: bool = True) -> Iterator[str]:
    """The top-level packages imported outside `if TYPE_CHECKING`; with `inside`, those of function bodies too."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield str(node.module).split(".")[0]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("import_module", "importlib.import_module"):
            yield from _named(node) if inside else ()
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from imports(ast.Module(node.orelse, []), inside)
            continue
        if inside or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from imports(node, inside)


def _named(call: ast.Call) -> Iterator[str]:
    """The package that an `import_module` names, as far as its argument begins with text."""
    first = call.args[0]
    if isinstance(first, ast.JoinedStr):
        first = first.values[0]
    if isinstance(first, ast.Constant):
        yield str(first.value).split(".")[0]


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@FILE
def test_a_package_imports_only_those_below_it(package: str, path: Path) -> None:
    used = set(imports(parse(path))) & set(PACKAGES)
    assert used <= ALLOWED[package]


@FILE
def test_no_module_imports_a_heavy_library_when_it_is_imported(package: str, path: Path) -> None:
    allowed = {"numpy"} if any(path.is_relative_to(folder) for folder in NUMERIC) else set()
    if path.is_relative_to(SERVICE):
        allowed = {"pydantic", "fastapi", "pebble"}
    assert not (set(imports(parse(path), inside=False)) & HEAVY) - allowed


@FILE
def test_no_source_file_is_too_long(package: str, path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


def test_all_packages_are_looked_at() -> None:
    counts = {name: sum(1 for package, _ in FILES if package == name) for name in PACKAGES}
    assert all(count >= 3 for count in counts.values())


def test_type_checking_is_the_only_way_up() -> None:
    """A type from a higher layer, even for annotations alone, would tie the layers together."""
    for package, path in FILES:
        text = path.read_text(encoding="utf-8")
        named = {word for word in PACKAGES if f"from {word}." in text or f"import {word}." in text}
        assert named <= ALLOWED[package], path


@pytest.mark.parametrize(
    ("text", "always", "ever"),
    [
        ("import numpy.linalg as n", {"numpy"}, {"numpy"}),
        ("try:\n    from pandas import x\nexcept ImportError: pass", {"pandas"}, {"pandas"}),
        ("def f():\n    import numpy", set(), {"numpy"}),
        ("class A:\n    import numpy\n    def f(self):\n        import pandas", {"numpy"}, {"numpy", "pandas"}),
        ("if TYPE_CHECKING:\n    import numpy\nelse:\n    import pandas", {"pandas"}, {"pandas"}),
        ("def f():\n    return import_module(f'numpy.{x}')", set(), {"numpy"}),
    ],
)
def test_the_walk_finds_imports_wherever_they_stand(text: str, always: set[str], ever: set[str]) -> None:
    tree = ast.parse(text)
    assert set(imports(tree, inside=False)) == always
    assert set(imports(tree)) == ever
