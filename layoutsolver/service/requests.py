"""What can be asked, as JSON: one document for each verb; the command line's options are its fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    JsonValue,
    Tag,
    TypeAdapter,
)
from pydantic_core import PydanticCustomError

from layoutsolver_models.problems.banks import BankModel, Level

Name = Annotated[
    str,
    Field(
        max_length=100,
        pattern=r"^[A-Za-z0-9_][A-Za-z0-9_+-]*(\.[A-Za-z0-9_+-]+)+$",
        description="how messages name the text: a file name with an extension, no path",
    ),
]


def _whole(value: Any) -> Any:
    """A number such as `3.0`, which is an integer in JSON, as one."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Natural = Annotated[int, Field(ge=0, le=2**31 - 1), BeforeValidator(_whole)]
Positive = Annotated[int, Field(ge=1, le=2**31 - 1), BeforeValidator(_whole)]
Seconds = Annotated[float, Field(gt=0, le=3600)]


def _without_nul(text: str) -> str:
    """The text itself; looking for one character is several times faster than the pattern of the schema."""
    if "\0" in text:
        raise PydanticCustomError("nul", "a program has no NUL characters")
    return text


Text = Annotated[
    str,
    AfterValidator(_without_nul),
    Field(description="the program as text, without NUL characters", json_schema_extra={"pattern": r"^[^\u0000]*$"}),
]
Wish = Annotated[str, Field(min_length=1, max_length=1000, pattern=r"^[^\u0000]+$")]


DOCUMENT = ("--format=json",)
"""What asks a verb for its document, which holds its text and its messages."""


class Command(NamedTuple):
    """A request as the command line would have it: the arguments, and the texts of the files that they name."""

    arguments: tuple[str, ...]
    files: Mapping[str, str]


class AnyText(BaseModel):
    """What every request with a text says; `FORM` asks the command for its document."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    POSITIONAL: ClassVar[tuple[str, ...]] = ()
    FORM: ClassVar[tuple[str, ...]] = ()

    text: Text
    name: Name = "program.mlir"
    time_limit: Seconds | None = None
    seed: Natural = 1

    def command(self, verb: str) -> Command:
        """The command that answers this request."""
        files = {self.name: self.text}
        rest = [str(getattr(self, field)) for field in self.POSITIONAL]
        given = {"text", "name", *self.POSITIONAL}
        options = {field: getattr(self, field) for field in type(self).model_fields if field not in given}
        return Command((verb, *self.FORM, *_options(options), "--", self.name, *rest), files)


class Request(AnyText):
    """What every request about the layouts of a program says."""

    target: Annotated[str, Field(max_length=100, pattern=r"^[^\u0000]*$")] = "auto"
    compat: Literal["", "upstream"] = ""
    assume_trip_count: Positive = 16


class _Vmi(Request):
    objective: Literal["pipes", "total", "registers"] = "pipes"
    pin: tuple[Wish, ...] = ()
    prefer: tuple[Wish, ...] = ()
    no_lane_stride_narrowing: bool = False
    limit_registers: Annotated[str, Field(pattern=r"^(chip|[0-9]{1,9},[0-9]{1,9})$")] | None = None


class SolveRequest(_Vmi):
    """Decide the layout of every vector; an infeasible program is explained, and repaired if that is asked for."""

    FORM = DOCUMENT

    layouts: bool = False
    repair: bool = False
    verify: bool = False
    rounds: Positive | None = None
    max_conflicts: Positive = 3
    repairs: Natural = 3


class ProblemRequest(BaseModel):
    """Solve a problem of layouts that was written as JSON."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    problem: dict[str, JsonValue]
    time_limit: Seconds | None = None
    seed: Natural = 1

    def command(self, verb: str) -> Command:
        """The command that answers this request."""
        options = _options({"format": "json", "time_limit": self.time_limit, "seed": self.seed})
        return Command((verb, *options, "--", "problem.json"), {"problem.json": json.dumps(self.problem)})


class ExplainRequest(_Vmi):
    """All conflicts of a program that has no layouts, and what would repair it."""

    FORM = DOCUMENT

    max_conflicts: Positive = 20
    repairs: Natural = 3


class WhyRequest(_Vmi):
    """Why a value has its layout, and what speaks against the others."""

    POSITIONAL = ("value",)
    FORM = DOCUMENT

    value: Annotated[str, Field(min_length=1, max_length=1000, pattern=r"^[^\u0000]+$", examples=["%x", "%x@12"])]


class SpaceRequest(_Vmi):
    """How many solutions there are, and which are the best."""

    list: Natural = 0
    json_: Annotated[bool, Field(alias="json")] = False


class LowerRequest(_Vmi):
    """The program in a lower-level form."""

    FORM = DOCUMENT

    to: Literal["ave-intrin", "vpto", "tile", "buckyball", "bank-ssa", "bank-ids", "wrapper", "intr", "llvm", "riscv"]
    from_: Annotated[
        Literal["linalg", "tile", "buckyball", "bank-ssa", "bank-ids", "wrapper", "intr", "llvm"] | None,
        Field(alias="from", description="tiles and banks: the stage that the program is taken for"),
    ] = None
    dialect: Literal["", "1.2.0", "master"] = ""
    solved: bool = False
    layouts_from_file: bool = False


class VerifyRequest(Request):
    """Run a program with and without its layouts, or two forms of it, and compare memory."""

    other: Text | None = None
    other_name: Name = "other.mlir"
    rounds: Positive = 4

    def command(self, verb: str) -> Command:
        """The command that answers this request."""
        shown = {field: getattr(self, field) for field in type(self).model_fields}
        names = ("text", "name", "other", "other_name")
        options = _options({field: value for field, value in shown.items() if field not in names})
        if self.other is None:
            return Command((verb, *DOCUMENT, *options, "--", self.name), {self.name: self.text})
        second = self.other_name if self.other_name != self.name else f"other-{self.other_name}"
        return Command((verb, *DOCUMENT, *options, "--", self.name, second), {self.name: self.text, second: self.other})


class FuseRequest(AnyText):
    """Loops of vector functions put together, and loads and stores elided."""

    stop_after: Literal["plan", "fuse", "cse", "elide", "flatten"] = "flatten"
    compat: Literal["", "seed"] = ""
    tiles: bool = False
    explain: bool = False
    keep_unread: bool = False
    trust_zero: bool = False
    joint: bool = False
    plans: Positive = 8
    chip: Annotated[str, Field(max_length=100, pattern=r"^[A-Za-z0-9_-]+$")] = "ascend950"
    assume_trip_count: Positive = 16


class BanksRequest(AnyText):
    """Banks of a program or buffers of a table placed in memory, or checked."""

    target: Annotated[str, Field(max_length=100, pattern=r"^[^\u0000]*$")] = "auto"
    level: Level | None = None
    bank_num: Positive | None = None
    bank_model: BankModel | None = None
    distinct_arguments: bool = False
    check: bool = False
    placement: bool = False
    capacity: Annotated[int, Field(ge=1, lt=2**62), BeforeValidator(_whole)] | None = None


class ViewRequest(Request):
    """A picture of the program as SVG."""

    show: Literal["dataflow", "space", "lanes", "fusion", "memory"] = "dataflow"
    line: Positive | None = None


class ReportRequest(Request):
    """The program, what is said of it and its pictures as one HTML page."""

    max_conflicts: Positive = 3
    repairs: Natural = 3


def _options(fields: Mapping[str, Any]) -> list[str]:
    """Fields as options of the command line; what is not set, or set to nothing, is not given.

    >>> _options({"time_limit": 2.5, "verify": True, "layouts": False, "pin": ("%x=d2",), "compat": ""})
    ['--time-limit=2.5', '--verify', '--pin=%x=d2']
    """
    out: list[str] = []
    for field, value in fields.items():
        option = "--" + field.rstrip("_").replace("_", "-")
        if value is True:
            out.append(option)
        elif isinstance(value, tuple):
            out += [f"{option}={each}" for each in value]
        elif value is not False and value is not None and value != "":
            out.append(f"{option}={value}")
    return out


def _has_problem(given: Any) -> str:
    has = "problem" in given if isinstance(given, dict) else isinstance(given, ProblemRequest)
    return "problem" if has else "program"


Solve = Annotated[
    Annotated[SolveRequest, Tag("program")] | Annotated[ProblemRequest, Tag("problem")], Discriminator(_has_problem)
]

VERBS: dict[str, Any] = {
    "solve": Solve,
    "explain": ExplainRequest,
    "why": WhyRequest,
    "space": SpaceRequest,
    "lower": LowerRequest,
    "verify": VerifyRequest,
    "fuse": FuseRequest,
    "banks": BanksRequest,
    "view": ViewRequest,
    "report": ReportRequest,
}
"""The document that each verb takes."""


def parse_request(verb: str, data: str | bytes) -> AnyText | ProblemRequest:
    """A request from its JSON text. Raises `KeyError` for an unknown verb and pydantic's `ValidationError`."""
    request: AnyText | ProblemRequest = _adapter(verb).validate_json(data)
    return request


@cache
def _adapter(verb: str) -> TypeAdapter[Any]:
    """What validates the requests of a verb; making it takes a hundred times as long as using it."""
    return TypeAdapter(VERBS[verb])
