"""Run the released upstream analyzer (`bishengir-opt-a5` of the `ascendnpu-ir` wheel) on program text."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

Verdict = Literal["solved", "no_solve", "verifier", "assertion", "crash", "rejected"]

ANALYZE = "-analyze-vector-layout"
LATER = ("-ave-normalize-ops", "-remove-vector-layout-attr", "-convert-hivmave-to-ave-intrin")
LAYOUT_CAST = "ave.hir.vector.layout_cast"
TIMEOUT = 300.0

_OP = re.compile(r'^\s*(?:(?P<results>%[^=]*?)\s*=\s*)?"?(?P<name>(?:ave\.hir|func)\.[\w.]+|call)\b')
_FUNCTION_TYPE = re.compile(r"\bfunctionType = #ave\.func_dist_type<(\w+)>")
_VALUE = re.compile(r"%[\w.$-]+(?:#\d+)?")
_CANDIDATES = re.compile(r"^Candidates in the solution space: (\d+)", re.MULTILINE)
_OPCODE = re.compile(r"^Opcode: (\S+)", re.MULTILINE)
_ERROR_OP = re.compile(r"error: '([\w.]+)' op\b")


@dataclass(frozen=True, slots=True)
class PeerResult:
    """What the analyzer said about one program.

    `function_types` is empty unless the verdict is "solved", since the tool prints no IR otherwise.
    """

    verdict: Verdict
    failing_op: str | None
    candidates: int | None
    function_types: tuple[tuple[str, str | None], ...]
    stdout: str
    stderr: str


@cache
def peer_path() -> Path | None:
    """Return the analyzer's executable, or None when it is not installed or does not run on this machine."""
    spec = importlib.util.find_spec("ascendnpuir")
    if spec is None:
        return None
    for folder in spec.submodule_search_locations or ():
        path = Path(folder) / "bin" / "bishengir-opt-a5"
        if path.is_file() and _runs(path):
            return path
    return None


def _runs(path: Path) -> bool:
    """Return whether `path` can be executed, after giving it its run bit."""
    try:
        if not os.access(path, os.X_OK):
            path.chmod(path.stat().st_mode | 0o111)
        done = subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def run(text: str, *options: str) -> tuple[int, str, str]:
    """Return exit code (negative: minus the signal), standard output and standard error of one run."""
    path = peer_path()
    if path is None:
        raise RuntimeError("the ascendnpu-ir wheel is not installed or does not run here")
    command = [str(path), "-", "--mlir-disable-threading", *options]
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, errors="replace", timeout=TIMEOUT, check=False
    )
    return done.returncode, done.stdout, done.stderr


def analyze(text: str, *extra: str) -> PeerResult:
    """Return the verdict of `-analyze-vector-layout`; `extra` options follow the pass on the command line."""
    code, out, err = run(text, ANALYZE, *extra)
    if code == 0:
        return PeerResult("solved", None, None, function_types(out), out, err)
    if code < 0:
        aborted = code == -signal.SIGABRT and "Assertion" in err
        return PeerResult("assertion" if aborted else "crash", None, None, (), out, err)
    if re.search(r"^No Solve", err, re.MULTILINE):
        opcode = _OPCODE.search(err)
        count = _CANDIDATES.search(err)
        failing = opcode.group(1) if opcode else None
        return PeerResult("no_solve", failing, int(count.group(1)) if count else None, (), out, err)
    named = _ERROR_OP.search(err)
    failing = named.group(1) if named else None
    verdict: Verdict = "verifier" if accepts(text) else "rejected"
    return PeerResult(verdict, failing, None, (), out, err)


def accepts(text: str) -> bool:
    """Return whether the tool parses and verifies `text` when it runs no pass."""
    return run(text)[0] == 0


def function_types(printed: str) -> tuple[tuple[str, str | None], ...]:
    """Return (op name, functionType spelling or None) of every `ave.hir` op in printed IR, in print order.

    Casts that the analysis puts around calls are left out: a layout_cast whose result is an operand of a call
    or whose operand is a result of a call. A layout_cast of the input next to a call keeps its entry, since
    the added cast then stands between the two.
    """
    rows: list[tuple[str, str | None, str, str]] = []
    passed: set[str] = set()
    returned: set[str] = set()
    for line in printed.splitlines():
        match = _OP.match(line)
        if match is None:
            continue
        name, results = match.group("name"), match.group("results") or ""
        rest = line[match.end() :]
        if name in ("func.call", "call"):
            passed.update(_VALUE.findall(rest))
            returned.update(_results(results))
        elif name == "func.func":
            passed, returned = _flush(rows, passed, returned)
        elif name.startswith("ave.hir."):
            kind = _FUNCTION_TYPE.search(rest)
            operand = _VALUE.search(rest)
            spelling = kind.group(1) if kind else None
            rows.append((name, spelling, results.strip(), operand.group() if operand else ""))
    _flush(rows, passed, returned)
    return tuple((name, spelling) for name, spelling, _, _ in rows)


def _results(text: str) -> list[str]:
    """Return the value names that a result list such as `%a, %b` or `%4:2` defines."""
    names: list[str] = []
    for part in text.split(","):
        base, _, count = part.strip().partition(":")
        if count:
            names += [f"{base}#{index}" for index in range(int(count))]
        elif base:
            names.append(base)
    return names


def _flush(
    rows: list[tuple[str, str | None, str, str]], passed: set[str], returned: set[str]
) -> tuple[set[str], set[str]]:
    """Drop the casts around calls of the function that ends here; return two empty sets for the next one.

    Rows of an earlier function are marked by an empty result and operand, so that names cannot clash.
    """
    kept = [
        (name, spelling, "", "")
        for name, spelling, result, operand in rows
        if name != LAYOUT_CAST or not (result in passed or operand in returned)
    ]
    rows[:] = kept
    return set(), set()


def later_passes(text: str, *, target: str | None = None) -> tuple[int, str, str]:
    """Return exit code, output and errors of the passes behind the analysis, down to the intrinsics.

    `text` carries no layouts (the released tool cannot read them), its `functionType` attributes are enough.
    A program whose module names a `hacc.target` needs the device facts too: give the target's name.
    """
    return run(text, *_device(target), *LATER)


def own_pipeline(
    text: str, *, target: str | None = None, aligned: bool = False, options: tuple[str, ...] = ()
) -> tuple[int, str, str]:
    """Return exit code, output and errors of the analysis and the later passes in one process.

    With `aligned` the pass that turns layouts into element alignments runs between the two; without it
    release 1.2.0 normalises loads and stores as if all data were dense. `options` follow the passes.
    """
    between = ("-analyze-alignment-bitwidth",) if aligned else ()
    return run(text, *_device(target), ANALYZE, *between, *LATER, *options)


def _device(target: str | None) -> tuple[str, ...]:
    """Return the option that appends the facts of a device."""
    return () if target is None else (f"-hacc-append-device-spec=target={target}",)
