"""The command line's grammar. Verbs are imported when they run, so that `--help` stays fast."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import Any, NoReturn

from layoutsolver import __version__

EPILOG = """\
Answers go to standard output, everything else to standard error.
exit status: 0 done; 1 no solution, or errors in the program; 2 usage; 3 unreadable input; 4 a limit was reached;
70 a defect of layoutsolver (a reproducer is written and named); 130 interrupted; 141 nobody reads the answer
"""


LARGEST = 2**31 - 1
"""Numbers on the command line end here: the solver's seeds and thread counts have 32 bits."""


def build_parser() -> MainParser:
    """The parser; each verb's `run` takes the parsed options and returns the exit status."""
    parser = MainParser(
        prog="layoutsolver",
        description="Decides layouts, fusion and banks of NPU compiler IR by constraint solving.",
        epilog=EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "-V", "--version", action="version", version=f"layoutsolver {__version__}", help="print the version and exit"
    )
    parser.set_defaults(debug=False, session=None)
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True, parser_class=VerbParser)
    for name, (summary, fill) in VERBS.items():
        parser.verbs[name] = verbs.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            allow_abbrev=False,
            fill=fill,
            formatter_class=HelpFormatter,
        )
        parser.verbs[name].set_defaults(run=_lazy(name))
    return parser


class ShortErrorParser(argparse.ArgumentParser):
    """A parser whose errors are a line and not the whole usage, which would stand before what matters."""

    def error(self, message: str) -> NoReturn:
        """Print the message and where help is, and end with the status of usage errors."""
        self.exit(2, f"layoutsolver: error: {message} (`{self.prog} --help` says what there is)\n")


class MainParser(ShortErrorParser):
    """The parser of the command, with those of its verbs by name."""

    def __init__(self, **rest: Any) -> None:
        super().__init__(**rest)
        self.verbs: dict[str, argparse.ArgumentParser] = {}

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As in argparse; an option that a verb does not have is said with the one that is like it."""
        options, rest = self.parse_known_args(args, namespace)
        if rest:
            from difflib import get_close_matches

            verb = self.verbs[options.verb]
            word = rest[0].partition("=")[0]
            near = get_close_matches(word, [name for action in verb._actions for name in action.option_strings], 1)
            verb.error(f"unexpected argument `{word}`" + (f": is `{near[0]}` meant?" if near else ""))
        return options


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Help of 80 columns: asking for the terminal's width, once for each argument, imports more than a solve does."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=80)


class VerbParser(ShortErrorParser):
    """The parser of one verb, which gets its arguments when it is used: building those of all takes longer than --help.

    `fill` adds them.
    """

    def __init__(self, *, fill: Callable[[argparse.ArgumentParser], None], **rest: Any) -> None:
        super().__init__(**rest)
        self.fill: Callable[[argparse.ArgumentParser], None] | None = fill

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """As in argparse, behind the verb's own arguments."""
        if self.fill is not None:
            self.add_argument("--debug", action="store_true", help="show a traceback for a defect of layoutsolver")
            self.fill(self)
            self.fill = None
        return super().parse_known_args(args, namespace)


def _lazy(verb: str) -> Callable[[argparse.Namespace], int]:
    def call(options: argparse.Namespace) -> int:
        return int(import_module(f"layoutsolver.cli.{verb}").run(options))

    return call


def _add_input(parser: argparse.ArgumentParser, what: str = "the program; `-` reads standard input") -> None:
    parser.add_argument("file", metavar="FILE", help=what)
    parser.add_argument(
        "--target",
        default="auto",
        metavar="T",
        help="auto, ave, ave:CHIP, vmi or buckyball:CHIP (default: what the file names)",
    )
    parser.add_argument(
        "--compat",
        choices=["upstream"],
        default="",
        help="give the released analyzer's verdict and its very choice",
    )
    parser.add_argument(
        "--assume-trip-count", type=_positive, default=16, metavar="N",
        help="how often a loop with unknown bounds runs (default: 16)",
    )  # fmt: skip
    parser.add_argument(
        "--split-input-file", action="store_true", help="treat the parts between `// -----` lines as files"
    )
    parser.add_argument("--max-bytes", type=_positive, default=32 << 20, metavar="N", help="largest input (32 MiB)")
    parser.add_argument("--time-limit", type=_seconds, default=None, metavar="S", help="seconds to solve for")
    parser.add_argument(
        "--seed", type=_natural, default=1, metavar="N", help="seed of the solver and of --verify (default: 1)"
    )
    parser.add_argument("--workers", type=_positive, default=1, metavar="N", help="solver threads (default: 1)")
    parser.add_argument("--color", choices=["auto", "always", "never"], default="auto")


def _add_output(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("-o", "--output", default="-", metavar="OUT", help=f"where to write {what} (default: stdout)")


def _add_solve(parser: argparse.ArgumentParser) -> None:
    _add_input(parser)
    _add_output(parser, "the answer")
    parser.add_argument("--layouts", action="store_true", help="also write layouts into vector types")
    parser.add_argument("--table", action="store_true", help="print what was decided as a table instead")
    _add_vmi(parser)
    parser.add_argument("--repair", action="store_true", help="where there is no solution, make the cheapest repair")
    parser.add_argument(
        "--verify", action="store_true", help="write nothing unless the program runs alike with its layouts"
    )
    _add_rounds(parser, None)
    _add_messages(parser, conflicts=3)


def _add_vmi(parser: argparse.ArgumentParser) -> None:
    vmi = parser.add_argument_group("programs of VMI")
    vmi.add_argument(
        "--objective", choices=["pipes", "total", "registers"], default="pipes",
        help="what is minimised first: the busiest pipe, all instructions, or registers (default: pipes)",
    )  # fmt: skip
    vmi.add_argument("--pin", action="append", metavar="VALUE=LAYOUT", help="fix the layout in which a value is made")
    vmi.add_argument(
        "--prefer", action="append", metavar="VALUE=LAYOUT[:WEIGHT]",
        help="any other layout costs so many instructions (default: 1)",
    )  # fmt: skip
    vmi.add_argument(
        "--limit-registers", type=_registers, default=None, metavar="N,M",
        help="keep within N vector and M predicate registers; `chip`: those that the architecture has",
    )  # fmt: skip
    vmi.add_argument(
        "--no-lane-stride-narrowing", action="store_true",
        help="the released compiler runs with -vmi-prefer-lane-stride-narrowing=false",
    )  # fmt: skip


def _add_lower(parser: argparse.ArgumentParser) -> None:
    from layoutsolver.buckyball.stages import ALL_STAGES

    _add_input(parser)
    _add_output(parser, "the lowered program")
    parser.add_argument(
        "--to", choices=["ave-intrin", "vpto", *ALL_STAGES[1:]], required=True, metavar="FORM",
        help="ave-intrin: the register intrinsics of AscendNPU-IR; vpto: the vector instructions of PTOAS; of tiles "
        f"and banks: {', '.join(ALL_STAGES[1:])}",
    )  # fmt: skip
    parser.add_argument(
        "--from", choices=list(ALL_STAGES[:-1]), metavar="FORM",
        help="tiles and banks: take the program as one of that stage (default: as it stands)",
    )  # fmt: skip
    parser.add_argument(
        "--dialect", choices=["1.2.0", "master"], default="",
        help="ave-intrin: the generation of the compiler whose form is written (default: 1.2.0, the released one)",
    )  # fmt: skip
    parser.add_argument("--solved", action="store_true", help="keep the functionTypes of the file, solve nothing")
    parser.add_argument(
        "--layouts-from-file", action="store_true",
        help="as --solved, and know the layouts that vector types carry; vpto: in these, without any conversion added",
    )  # fmt: skip
    _add_vmi(parser)
    _add_format(parser)


def _add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format", choices=["text", "json", "sarif", "github"], default="text",
        help="json: one document a file; sarif, github: the messages alone",
    )  # fmt: skip


def _add_messages(parser: argparse.ArgumentParser, conflicts: int) -> None:
    _add_format(parser)
    _add_explained(parser, conflicts)
    parser.add_argument(
        "--verify-diagnostics", action="store_true",
        help="compare the messages with `// expected-error@+1 {{...}}` comments instead of printing them",
    )  # fmt: skip
    parser.add_argument(
        "--upstream-report", action="store_true", help="print the released analyzer's own `No Solve` block"
    )


def _add_explained(parser: argparse.ArgumentParser, conflicts: int) -> None:
    parser.add_argument(
        "--max-conflicts", type=_positive, default=conflicts, metavar="N",
        help=f"how many independent conflicts are explained (default: {conflicts})",
    )  # fmt: skip
    parser.add_argument(
        "--repairs", type=_natural, default=3, metavar="N", help="how many repairs are looked for (default: 3)"
    )


def _add_space(parser: argparse.ArgumentParser) -> None:
    _add_input(parser)
    _add_output(parser, "the answer")
    _add_vmi(parser)
    parser.add_argument("--list", type=_natural, default=0, metavar="N", help="list the N cheapest solutions")
    parser.add_argument("--json", action="store_true", help="print the problem itself as JSON")


def _add_ops(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--target", default="ave", metavar="T", help="ave, vmi, vpto, buckyball or structural (default: ave)"
    )
    parser.add_argument("--format", choices=["text", "json"], default="text")


def _add_schema(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="a document's name; without it, all names")


def _add_explain(parser: argparse.ArgumentParser) -> None:
    _add_input(parser, "the program, `-` for standard input; or a code such as LS0101, or a rule such as AVE.GATHER")
    _add_output(parser, "the explanation")
    _add_vmi(parser)
    parser.add_argument(
        "--passes", metavar="NAMES",
        help="with --compat upstream, of a VMI program: what these passes of the released compiler say, asked alone as "
        "its test driver asks them, such as vmi-layout-assignment,vmi-to-vpto",
    )  # fmt: skip
    _add_messages(parser, conflicts=20)


def _add_why(parser: argparse.ArgumentParser) -> None:
    _add_input(parser)
    parser.add_argument("value", metavar="VALUE", help="its name, such as %%mask; %%mask@12 for the one of line 12")
    _add_output(parser, "the answer")
    _add_vmi(parser)
    _add_format(parser)


def _add_verify(parser: argparse.ArgumentParser) -> None:
    _add_input(parser)
    parser.add_argument(
        "other", metavar="OTHER", nargs="?",
        help="another form of the program, with layouts or lowered: both are run on the same memory",
    )  # fmt: skip
    _add_output(parser, "the answer")
    _add_rounds(parser)
    _add_format(parser)


def _add_rounds(parser: argparse.ArgumentParser, default: int | None = 4) -> None:
    """How often to run; no default tells whether it was given."""
    also = " with --verify" if default is None else ""
    parser.add_argument(
        "--rounds", type=_positive, default=default, metavar="N",
        help=f"how often every function is run{also} (default: 4)",
    )  # fmt: skip


def _registers(text: str) -> tuple[int, int] | str:
    if text == "chip":
        return text
    vectors, comma, predicates = text.partition(",")
    if not comma:
        raise argparse.ArgumentTypeError(f"`{text}` is neither `chip` nor two numbers, such as 32,8")
    return _natural(vectors), _natural(predicates)


def _add_serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stdio", action="store_true", help="a JSON object a line, instead of HTTP")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen at (default: 127.0.0.1)")
    parser.add_argument("--port", type=_natural, default=8470, help="the port to listen at (default: 8470)")
    parser.add_argument("--jobs", type=_positive, default=2, metavar="N", help="worker processes (default: 2)")
    parser.add_argument("--queue", type=_natural, default=32, metavar="N", help="requests that wait (default: 32)")
    parser.add_argument(
        "--time-limit", type=_seconds, default=30.0, metavar="S", help="seconds to solve for at most (default: 30)"
    )
    parser.add_argument("--memory", type=_positive, default=4096, metavar="MIB", help="of a worker (default: 4096)")
    parser.add_argument("--max-bytes", type=_positive, default=8 << 20, metavar="N", help="largest request (8 MiB)")
    parser.add_argument("--max-ops", type=_positive, default=50_000, metavar="N", help="largest program (50000)")
    _add_store(parser)


def _add_view(parser: argparse.ArgumentParser) -> None:
    _add_input(parser)
    _add_output(parser, "the picture")
    parser.add_argument(
        "--show", choices=["dataflow", "space", "lanes", "fusion", "memory"], default="dataflow",
        help="where values flow, the layouts of each, the lanes of one operation, loops before and after fusion, or "
        "buffers over time",
    )  # fmt: skip
    parser.add_argument("--line", type=_positive, default=None, metavar="N", help="the operation whose lanes are shown")


def _add_notebook(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="the notebook's name; without it, all names")
    parser.add_argument("--read-only", action="store_true", help="show it without its code")


def _add_report(parser: argparse.ArgumentParser) -> None:
    _add_input(parser)
    _add_output(parser, "the page")
    _add_explained(parser, conflicts=3)


BATCH_VERBS = ("solve", "explain", "why", "space", "lower", "verify", "fuse", "banks", "view", "report")
"""What may be asked of many files: all that the service answers. The others (`serve`, `batch`, `notebook`, `ops`,
`schema`) are not about programs."""


def _add_batch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="DIR", nargs="+", help="files, and folders with files in and below them")
    parser.add_argument("-o", "--output", required=True, metavar="OUT", help="where the lines of JSON are written")
    parser.add_argument(
        "--verb", dest="verb_asked", default="solve", metavar="VERB",
        choices=BATCH_VERBS, help="what is asked: " + ", ".join(BATCH_VERBS) + " (default: solve); `why` and `lower` "
        "need --set value=NAME and --set to=FORM, tables of buffers --verb banks --set placement=true --suffix .csv",
    )  # fmt: skip
    parser.add_argument(
        "--set", action="append", metavar="NAME=VALUE", help="a field of all requests, such as compat=upstream"
    )
    parser.add_argument("--suffix", action="append", metavar="S", help="of files in folders (default: .mlir and .pto)")
    parser.add_argument(
        "--split-input-file", action="store_true", help="treat the parts between `// -----` lines as programs"
    )
    parser.add_argument("--jobs", type=_positive, default=None, metavar="N", help="processes (default: one a core)")
    parser.add_argument("--cluster", metavar="ADDRESS", help="have the workers of this Dask scheduler do it")
    parser.add_argument(
        "--time-limit", type=_seconds, default=30.0, metavar="S", help="seconds for a program (default: 30)"
    )
    parser.add_argument("--memory", type=_positive, default=4096, metavar="MIB", help="of a process (default: 4096)")
    parser.add_argument("--max-bytes", type=_positive, default=32 << 20, metavar="N", help="largest file (32 MiB)")
    parser.add_argument("--max-ops", type=_positive, default=1_000_000, metavar="N", help="largest program (1000000)")


def _add_store(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--store", metavar="PATH", help="where answers are kept, or `off` (default: ~/.cache/layoutsolver)"
    )


def _add_banks(parser: argparse.ArgumentParser) -> None:
    from layoutsolver_models.problems.banks import LEVELS

    parser.add_argument("file", metavar="FILE", help="the program or placement problem; `-` reads standard input")
    _add_output(parser, "the answer")
    parser.add_argument("--check", action="store_true", help="solve nothing: check the banks or offsets of the file")
    parser.add_argument("--table", action="store_true", help="print what was decided, or each allocation checked")
    programs = parser.add_argument_group("programs of tiles and banks")
    programs.add_argument("--target", default="auto", metavar="T", help="buckyball:CHIP (default: buckyball:seed)")
    programs.add_argument(
        "--level", choices=LEVELS, default=None, metavar="LEVEL",
        help="what may be changed, each more than the one before it: " + ", ".join(LEVELS) + " (default: elide)",
    )  # fmt: skip
    programs.add_argument("--bank-num", type=_positive, default=None, metavar="N", help="banks, instead of the chip's")
    programs.add_argument(
        "--bank-model", choices=["contiguous", "hw_mapped"], default=None,
        help="columns of a bank in ids behind each other, or one id for all (default: contiguous)",
    )  # fmt: skip
    programs.add_argument(
        "--distinct-arguments", action="store_true", help="no two arguments of a function are the same memory"
    )
    programs.add_argument(
        "--split-input-file", action="store_true", help="treat the parts between `// -----` lines as files"
    )
    placement = parser.add_argument_group("static memory placement")
    placement.add_argument(
        "--placement", action="store_true",
        help="FILE is a table of buffers: id, lower, upper, size, perhaps alignment, offset, hint, gaps",
    )  # fmt: skip
    placement.add_argument(
        "--capacity", type=_large, default=None, metavar="N",
        help="size of the memory; without it, the least height is looked for",
    )  # fmt: skip
    parser.add_argument("--format", choices=["text", "json"], default="text")
    _add_limits(parser)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--max-bytes", type=_positive, default=32 << 20, metavar="N", help="largest input (32 MiB)")
    parser.add_argument("--time-limit", type=_seconds, default=None, metavar="S", help="seconds to solve for")
    parser.add_argument("--seed", type=_natural, default=1, metavar="N", help="seed of the solver (default: 1)")
    parser.add_argument("--workers", type=_positive, default=1, metavar="N", help="solver threads (default: 1)")
    parser.add_argument("--color", choices=["auto", "always", "never"], default="auto")


def _large(text: str) -> int:
    if not text.isdecimal() or len(text) > 19 or not 0 < int(text) < 1 << 62:
        raise argparse.ArgumentTypeError(f"`{text}` is not a positive number below 2^62")
    return int(text)


def _natural(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"`{text}` is not a natural number")
    if len(text) > 10 or int(text) > LARGEST:
        raise argparse.ArgumentTypeError(f"must be at most {LARGEST}")
    return int(text)


def _positive(text: str) -> int:
    value = _natural(text)
    if value == 0:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"`{text}` is not a positive number of seconds")
    return value


def _add_fuse(parser: argparse.ArgumentParser) -> None:
    from layoutsolver.cli.fusion_arguments import add_arguments

    add_arguments(parser, _natural, _positive, _seconds)


VERBS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "solve": ("decide the layout of every vector and write it into the program", _add_solve),
    "explain": ("say why a program has no layouts, or print the page of a code or of a rule", _add_explain),
    "why": ("say why a value has its layout and no other", _add_why),
    "verify": ("run a program with and without its layouts, or two forms of it, and compare", _add_verify),
    "lower": ("solve a program and write it in a lower-level form", _add_lower),
    "fuse": ("put vector functions and their loops together, and elide loads and stores", _add_fuse),
    "space": ("count the layouts that are possible, and list the best", _add_space),
    "ops": ("show what is covered, operation by operation", _add_ops),
    "banks": ("place banks or buffers in memory, or check where they are", _add_banks),
    "view": ("draw the layouts of a program as SVG", _add_view),
    "report": ("write a program, what is said of it and its pictures as one HTML page", _add_report),
    "serve": ("answer JSON requests over HTTP, or over standard input and output", _add_serve),
    "batch": ("ask the same about many files, with a line of JSON for each", _add_batch),
    "notebook": ("open a notebook: a tour, and spaces to explore", _add_notebook),
    "schema": ("print the JSON schema of a problem or an answer", _add_schema),
}
"""What each verb does, and what adds its arguments; its module is the one of that name in this folder."""
