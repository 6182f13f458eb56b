"""The command line: parses arguments, runs one verb, and turns everything that can go wrong into an exit status."""

from __future__ import annotations

import gc
import sys
from typing import NoReturn

EXIT_OK, EXIT_PROGRAM, EXIT_USAGE, EXIT_INPUT, EXIT_LIMIT, EXIT_DEFECT, EXIT_INTERRUPT = (
    0,
    1,
    2,
    3,
    4,
    70,
    130,
)


def main(argv: list[str] | None = None) -> int:
    """Run the command line; the exit status."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments in (["--version"], ["-V"]):
        from layoutsolver import __version__

        print(f"layoutsolver {__version__}")
        return EXIT_OK
    from layoutsolver.cli.parser import build_parser

    parser = build_parser()
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPT
    except BrokenPipeError:
        _silence_stdout()
        return EXIT_OK
    except Exception:
        if options.debug:
            raise
        return _defect(arguments)


def run() -> NoReturn:
    """The entry point of the installed command."""
    gc.disable()  # one answer per process: collecting cycles costs a quarter of the time and frees next to nothing
    status = main()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _silence_stdout()
    sys.exit(status)


def _silence_stdout() -> None:
    """Nobody reads our output any more: keep the interpreter from complaining at exit."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _defect(arguments: list[str]) -> int:
    """Write down how to reproduce a defect of ours, and say where."""
    import json
    import platform
    import tempfile
    import traceback
    from pathlib import Path

    from layoutsolver import __version__

    inputs = {}
    for argument in arguments:
        path = Path(argument)
        if path.is_file():
            inputs[argument] = path.read_bytes().decode("utf-8", "replace")
    report = {
        "version": __version__,
        "python": platform.python_version(),
        "arguments": arguments,
        "inputs": inputs,
        "traceback": traceback.format_exc(),
    }
    with tempfile.NamedTemporaryFile(
        "w", prefix="layoutsolver-defect-", suffix=".json", delete=False, encoding="utf-8"
    ) as file:
        json.dump(report, file, indent=2)
    print(f"layoutsolver: this is a defect of layoutsolver; a reproducer is in {file.name}", file=sys.stderr)
    return EXIT_DEFECT


if __name__ == "__main__":
    run()
