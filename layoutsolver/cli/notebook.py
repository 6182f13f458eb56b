"""`layoutsolver notebook`: open one of the notebooks."""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import layoutsolver
from layoutsolver.cli.errors import UsageError
from layoutsolver.cli.output import deliver


def run(options: argparse.Namespace) -> int:
    """Open a notebook, or list their names. Raises `UsageError`."""
    found = {path.stem: path for path in sorted(folder().glob("*.py"))}
    if options.name is None:
        return deliver("-", "".join(f"{name}  {_summary(path)}\n" for name, path in found.items()))
    if options.name not in found:
        raise UsageError(f"no notebook `{options.name}`: there are {', '.join(found)}")
    if find_spec("marimo") is None:
        raise UsageError("`marimo` is not installed: notebooks need `pip install layoutsolver[notebook]`")
    how = "run" if options.read_only else "edit"
    return subprocess.run([sys.executable, "-m", "marimo", how, str(found[options.name])], check=False).returncode


def folder() -> Path:
    """Where the notebooks are: in the installed package, or beside it in a checkout."""
    package = Path(layoutsolver.__file__).parent
    installed = package / "notebooks"
    return installed if installed.is_dir() else package.parent / "notebooks"


def _summary(path: Path) -> str:
    """The first line of a notebook, which says what it shows."""
    return path.read_text(encoding="utf-8").splitlines()[0].strip('"')
