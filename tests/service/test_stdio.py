"""The service over standard input and output."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from layoutsolver.service.examples import EXAMPLES, PROGRAM
from tests.support.serving import COMMAND


def talk(*lines: bytes, arguments: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    command = [*COMMAND, "serve", "--stdio", "--store", "off", *arguments]
    done = subprocess.run(command, input=b"\n".join(lines) + b"\n", capture_output=True, timeout=120, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def call(number: object, method: str, **params: object) -> bytes:
    return json.dumps({"id": number, "method": method, "params": params}).encode()


def test_every_verb_is_answered_by_its_id() -> None:
    answers = talk(*(call(verb, verb, **next(iter(examples.values()))) for verb, examples in EXAMPLES.items()))
    assert {found["id"]: found["answer"]["verb"] for found in answers} == {verb: verb for verb in EXAMPLES}


def test_an_answer_is_the_one_of_http(client: Any) -> None:
    request = {"text": PROGRAM, "name": "same.mlir"}
    (found,) = talk(call(1, "solve", **request))
    assert found == {"id": 1, "answer": client.post("/v1/solve", json=request).json()}


def test_what_is_no_request_is_a_problem_and_the_rest_is_answered() -> None:
    wrong = [b"{", b"[]", b'{"method": 1}', b"\xff", b'{"method": "solve", "params": {}, "more": 1}', b"", b'"x"']
    (kept,) = talk(b'{"id": 7, "method": "solve", "params": [1]}')
    assert (kept["id"], kept["problem"]["status"]) == (7, 422)
    found = talk(*wrong, call(1, "sing"), call(2, "solve", text=1), call(3, "solve", text=PROGRAM))
    assert [line["problem"]["status"] for line in found if line["id"] is None] == [400, 422, 422, 400, 422, 422]
    assert {line["id"]: line["problem"]["status"] for line in found if line["id"] in (1, 2)} == {1: 404, 2: 422}
    assert [line["answer"]["outcome"] for line in found if line["id"] == 3] == ["done"]


def test_a_line_that_is_too_long_is_refused_and_the_next_one_is_answered() -> None:
    long = call(1, "solve", text="x" * 50_000)
    just = call(2, "solve", text=PROGRAM).ljust(10_000)
    found = talk(long, just, just + b" ", arguments=("--max-bytes", "10000"))
    said = sorted((line["id"] or 0, line.get("problem", {}).get("status")) for line in found)
    assert said == [(0, 413), (0, 413), (2, None)]


def test_a_request_is_cancelled_by_its_id() -> None:
    found = talk(
        call("long", "verify", text=PROGRAM, rounds=2**31 - 1),
        call("twin", "cancel", id="nobody"),
        call("end", "cancel", id="long"),
    )
    assert [line for line in found if line["id"] in ("twin", "end")] == [
        {"id": "twin", "cancelled": False},
        {"id": "end", "cancelled": True},
    ]
    assert [line["problem"]["type"] for line in found if line["id"] == "long"] == ["urn:layoutsolver:problem:cancelled"]


def test_an_id_that_is_in_use_is_refused() -> None:
    endless = call(1, "verify", text=PROGRAM, rounds=2**31 - 1)
    found = talk(endless, call(1, "solve", text=PROGRAM), call(2, "cancel", id=1))
    assert [line["problem"]["status"] for line in found if line["id"] == 1] == [422, 499]


def test_events_come_with_the_id_where_they_are_asked_for() -> None:
    from tests.cli.running import entangled

    line = {"id": 5, "method": "solve", "params": {"text": entangled(100)}, "stream": True}
    found = talk(json.dumps(line).encode())
    assert all(each["id"] == 5 for each in found)
    assert {each["event"]["kind"] for each in found[:-1]} == {"solution", "bound"}
    assert found[-1]["answer"]["outcome"] == "done"


def test_an_id_is_free_again_once_it_is_answered() -> None:
    command = [*COMMAND, "serve", "--stdio", "--store", "off"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(2):
            process.stdin.write(call(1, "solve", text=PROGRAM) + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["answer"]["outcome"] == "done"
        process.stdin.write(call(2, "cancel", id=1) + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline()) == {"id": 2, "cancelled": False}
