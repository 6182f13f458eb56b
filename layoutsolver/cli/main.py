"""The command line: parses arguments, runs one verb, and turns everything that can go wrong into an exit status."""

from __future__ import annotations

import gc
import io
import os
import sys
from typing import NoReturn

from layoutsolver.cli.errors import InputError, UsageError

EXIT_OK, EXIT_PROGRAM, EXIT_USAGE, EXIT_INPUT, EXIT_LIMIT = 0, 1, 2, 3, 4
EXIT_DEFECT, EXIT_INTERRUPT, EXIT_PIPE = 70, 130, 141


def main(argv: list[str] | None = None) -> int:
    """Run the command line; the exit status."""
    arguments = sys.argv[1:] if argv is None else argv
    from layoutsolver.cli.given import Options, idle_options
    from layoutsolver.cli.parser import build_parser

    parser = build_parser()
    try:
        options = parser.parse_args(arguments, Options())
    except SystemExit as asked:  # help or the version was printed, or a usage error
        return EXIT_OK if asked.code is None else int(asked.code)
    try:
        status = int(options.run(options))
        if status == EXIT_OK and (idle := idle_options(parser.verbs[options.verb], options)):
            print(f"layoutsolver: warning: no effect here: {', '.join(idle)}", file=sys.stderr)
        return status
    except UsageError as error:
        print(f"layoutsolver: error: {error}", file=sys.stderr)
        return EXIT_USAGE
    except InputError as error:
        from layoutsolver.cli.messages import print_diagnostics

        print_diagnostics(options, [error.diagnostic])
        return EXIT_INPUT
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPT
    except BrokenPipeError:
        _silence_stdout()
        return EXIT_PIPE
    except Exception:  # whatever reaches this is a defect of ours: no traceback for users, a reproducer instead
        if options.debug:
            raise
        return _defect(arguments, getattr(options, "text", None))


def worst(left: int, right: int) -> int:
    """The graver of two exit statuses: unreadable input, errors in a program, a limit, success.

    >>> worst(EXIT_LIMIT, EXIT_PROGRAM), worst(EXIT_OK, EXIT_LIMIT)
    (1, 4)
    """
    return max(left, right, key=(EXIT_OK, EXIT_LIMIT, EXIT_PROGRAM, EXIT_INPUT, EXIT_USAGE).index)


def run() -> NoReturn:
    """The entry point of the installed command."""
    gc.disable()  # one answer per process: collecting cycles costs a quarter of the time and frees next to nothing
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115 (it stays open until the end)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="")  # answers are files, wherever they go
    status = main()
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _silence_stdout()
        status = status or EXIT_PIPE
    except OSError as error:
        print(f"layoutsolver: error: cannot write standard output: {error.strerror or error}", file=sys.stderr)
        _silence_stdout()
        status = EXIT_USAGE
    sys.exit(status)


def _silence_stdout() -> None:
    """Nobody reads our output any more: keep the interpreter from complaining at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _defect(arguments: list[str], text: str | None) -> int:
    """Say what happened and where to find how to reproduce it; `text` is the input, as far as it was read."""
    from layoutsolver.cli.defect import what_happened, write_reproducer

    try:
        where = f"a reproducer is in {write_reproducer(arguments, text)}"
    except OSError as error:
        where = f"no reproducer could be written ({error.strerror or error}), `--debug` shows where it happens"
    print(f"layoutsolver: this is a defect of layoutsolver ({what_happened()}); {where}", file=sys.stderr)
    return EXIT_DEFECT


if __name__ == "__main__":
    run()
