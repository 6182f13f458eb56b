"""Requests are the command line's options: what each becomes, and what is refused."""

from __future__ import annotations

import argparse
import json
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from layoutsolver.cli.parser import VERBS as PARSED
from layoutsolver.cli.parser import build_parser
from layoutsolver.service.examples import EXAMPLES
from layoutsolver.service.faults import of_validation
from layoutsolver.service.requests import VERBS, ProblemRequest, SolveRequest, parse_request

PROGRAM = {"text": "x", "name": "a.mlir"}
NEEDED = {"why": {"value": "%x"}, "lower": {"to": "vpto"}}


def program(verb: str, **fields: object) -> bytes:
    return json.dumps({**PROGRAM, **NEEDED.get(verb, {}), **fields}).encode()


@pytest.mark.parametrize("verb", VERBS)
def test_each_request_is_a_command_that_the_parser_takes(verb: str) -> None:
    command = parse_request(verb, program(verb)).command(verb)
    options = build_parser().parse_args(list(command.arguments))
    assert options.verb == verb
    assert options.file == "a.mlir"
    assert command.files["a.mlir"] == "x"


@pytest.mark.parametrize("verb", VERBS)
def test_each_default_is_the_one_of_the_command_line(verb: str) -> None:
    request = parse_request(verb, program(verb))
    bare = build_parser().parse_args([verb, "a.mlir", *(["%x"] if verb == "why" else []), *lower(verb)])
    given = build_parser().parse_args(list(request.command(verb).arguments))
    differing = {name for name, value in vars(bare).items() if name != "run" and getattr(given, name) != value}
    assert differing <= {"format"}


def lower(verb: str) -> list[str]:
    return ["--to", "vpto"] if verb == "lower" else []


NOT_OFFERED = {"help", "debug", "color", "output", "split_input_file", "max_bytes", "workers", "format", "table"} | {
    "passes", "verify_diagnostics", "upstream_report"
}  # fmt: skip
"""Options that say where and how a terminal's user wants to read an answer, or that the service decides itself."""


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_of_the_command_line_is_a_field(verb: str) -> None:
    options = vars(build_parser().parse_args([verb, "a.mlir", *(["%x"] if verb == "why" else []), *lower(verb)]))
    given = parse_request(verb, program(verb)).model_dump(by_alias=True)
    assert set(options) - {"file", "verb", "run", "session"} - NOT_OFFERED == set(given) - {
        "text",
        "name",
        "other_name",
    }


def test_fields_become_options() -> None:
    fields = {"pin": ["%x=d2", "-y=ls4"], "repair": True, "time_limit": 2.5, "seed": 7, "rounds": 3}
    options = build_parser().parse_args(list(parse_request("solve", program("solve", **fields)).command("solve")[0]))
    assert (options.pin, options.repair, options.time_limit) == (["%x=d2", "-y=ls4"], True, 2.5)
    assert (options.seed, options.rounds, options.format) == (7, 3, "json")


def test_a_value_that_looks_like_an_option_is_a_value() -> None:
    command = parse_request("why", program("why", value="--help")).command("why")
    assert build_parser().parse_args(list(command.arguments)).value == "--help"


def test_two_texts_of_one_name_stay_two() -> None:
    command = parse_request("verify", program("verify", other="y", other_name="a.mlir")).command("verify")
    assert command.files == {"a.mlir": "x", "other-a.mlir": "y"}


def test_a_problem_is_taken_as_it_is() -> None:
    request = parse_request("solve", b'{"problem": {"values": [1, 2.5, null]}}')
    assert isinstance(request, ProblemRequest)
    assert json.loads(request.command("solve").files["problem.json"]) == {"values": [1, 2.5, None]}


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"surprise": 1}, "/surprise"),
        ({"text": 5}, "/text"),
        ({"text": "a\0b"}, "/text"),
        ({"name": "/etc/passwd"}, "/name"),
        ({"name": "../x.mlir"}, "/name"),
        ({"name": "LS0101"}, "/name"),
        ({"name": "-o.mlir"}, "/name"),
        ({"seed": -1}, "/seed"),
        ({"seed": 2**31}, "/seed"),
        ({"seed": "1"}, "/seed"),
        ({"seed": True}, "/seed"),
        ({"time_limit": 0}, "/time_limit"),
        ({"time_limit": 1e9}, "/time_limit"),
        ({"pin": "x=d2"}, "/pin"),
        ({"pin": [""]}, "/pin/0"),
        ({"repair": "yes"}, "/repair"),
        ({"compat": "downstream"}, "/compat"),
        ({"file": "/etc/passwd"}, "/file"),
        ({"output": "elsewhere"}, "/output"),
    ],
)
def test_a_fault_is_named_with_its_place(fields: dict[str, object], pointer: str) -> None:
    with pytest.raises(ValidationError) as caught:
        parse_request("solve", program("solve", **fields))
    refusal = of_validation(caught.value)
    assert refusal.status == 422
    assert [place for place, _ in refusal.faults] == [pointer]


@pytest.mark.parametrize("text", [b"", b"{", b"[" * 5000, b'{"text": "\\ud800"}', b"\xff", b'{"seed": ' + b"9" * 6000])
def test_what_is_no_json_has_a_status_of_its_own(text: bytes) -> None:
    with pytest.raises(ValidationError) as caught:
        parse_request("explain", text)
    assert of_validation(caught.value)[:2] == (400, "malformed-json")


def test_every_verb_has_an_example_that_follows_its_schema() -> None:
    assert set(EXAMPLES) == set(VERBS)
    for verb, examples in EXAMPLES.items():
        for body in examples.values():
            assert isinstance(parse_request(verb, json.dumps(body)), BaseModel)


def test_no_request_has_a_field_for_a_file_on_the_server() -> None:
    kinds: list[type[BaseModel]] = [SolveRequest, *(kind for kind in VERBS.values() if isinstance(kind, type))]
    fields = {name for kind in kinds for name in kind.model_fields}
    assert not fields & {"file", "output", "o", "path", "store"}
    assert len(kinds) == len(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_field_has_the_choices_of_its_option(verb: str) -> None:
    options = {action.dest: set(action.choices) for action in actions_of(verb) if action.choices is not None}
    schema = TypeAdapter(VERBS[verb]).json_schema()
    properties = schema.get("$defs", {}).get("SolveRequest", schema)["properties"]
    offered = {name: set(enumerated(field)) - {""} for name, field in properties.items()}
    compared = {name: offered[name] for name in options if name in offered}
    assert compared == {name: options[name] for name in compared}
    assert len(compared) >= len(options) - len(NOT_OFFERED & set(options))


def actions_of(verb: str) -> list[argparse.Action]:
    """The options of a verb."""
    parser = argparse.ArgumentParser()
    PARSED[verb][1](parser)
    return parser._actions


def enumerated(field: dict[str, Any]) -> list[Any]:
    """The values that a field of a schema may have, if they are enumerated."""
    if "const" in field:
        return [field["const"]]
    return [*field.get("enum", []), *(value for form in field.get("anyOf", []) for value in enumerated(form) if value)]
