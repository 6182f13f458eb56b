"""The service over HTTP, against what the command line says."""

from __future__ import annotations

import json
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
import pytest

from layoutsolver.cli.main import main
from layoutsolver.service.examples import BUFFERS, CONFLICT, EXAMPLES, PROGRAM, TEMPLATES

ROOT = Path(__file__).parents[2]
SOFTMAX = (ROOT / "examples" / "quantised_softmax.mlir").read_text(encoding="utf-8")
BANKS = (ROOT / "examples" / "bank_tile.mlir").read_text(encoding="utf-8")
FP4 = (ROOT / "examples" / "fp4_dequant.pto").read_text(encoding="utf-8")


def ask(client: httpx.Client, verb: str, **fields: Any) -> dict[str, Any]:
    response = client.post(f"/v1/{verb}", json=fields)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/json"
    answer: dict[str, Any] = response.json()
    return answer


COMMANDS: list[tuple[str, str, dict[str, Any], list[str]]] = [
    ("solve", SOFTMAX, {"layouts": True}, ["--layouts"]),
    ("solve", SOFTMAX, {"compat": "upstream"}, ["--compat", "upstream"]),
    ("solve", FP4, {"objective": "total"}, ["--objective", "total"]),
    ("solve", CONFLICT, {"repair": True}, ["--repair"]),
    ("why", FP4, {"value": "%x"}, ["%x"]),
    ("space", SOFTMAX, {"list": 5}, ["--list", "5"]),
    ("lower", FP4, {"to": "vpto"}, ["--to", "vpto"]),
    ("verify", PROGRAM, {"rounds": 2}, ["--rounds", "2"]),
    ("fuse", TEMPLATES, {"stop_after": "elide"}, ["--stop-after", "elide"]),
    ("banks", BUFFERS, {"placement": True}, ["--placement"]),
    ("banks", BANKS, {"level": "reorder"}, ["--level", "reorder"]),
    ("view", FP4, {"show": "space"}, ["--show", "space"]),
    ("report", FP4, {}, []),
]


@pytest.mark.parametrize(("verb", "text", "fields", "arguments"), COMMANDS)
def test_a_text_is_the_one_of_the_command_line(
    verb: str,
    text: str,
    fields: dict[str, Any],
    arguments: list[str],
    client: httpx.Client,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.mlir").write_text(text, encoding="utf-8", newline="")
    assert main([verb, "a.mlir", *arguments]) == 0
    answer = ask(client, verb, text=text, name="a.mlir", **fields)
    assert answer["outcome"] == "done"
    assert answer["text"] == capsys.readouterr().out


REPORTED: list[tuple[str, str, dict[str, Any], list[str]]] = [
    *((verb, text, {}, []) for verb in ("solve", "explain") for text in (SOFTMAX, FP4, CONFLICT)),
    ("verify", PROGRAM, {"rounds": 1}, ["--rounds", "1"]),
    ("verify", CONFLICT, {}, []),
    ("lower", CONFLICT, {"to": "ave-intrin"}, ["--to", "ave-intrin"]),
    ("lower", FP4, {"to": "vpto"}, ["--to", "vpto"]),
    ("why", FP4, {"value": "q"}, ["q"]),
    ("why", SOFTMAX, {"value": "ramp"}, ["ramp"]),
]


@pytest.mark.parametrize(("verb", "text", "fields", "arguments"), REPORTED)
def test_a_report_is_the_one_of_the_command_line(
    verb: str,
    text: str,
    fields: dict[str, Any],
    arguments: list[str],
    client: httpx.Client,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.mlir").write_text(text, encoding="utf-8", newline="")
    status = main([verb, "a.mlir", *arguments, "--format", "json"])
    answer = ask(client, verb, text=text, name="a.mlir", **fields)
    assert answer["outcome"] == ("refused" if status else "done")
    assert json.dumps(answer["report"], separators=(",", ":"), ensure_ascii=False) + "\n" == capsys.readouterr().out
    assert answer["diagnostics"] == answer["report"]["diagnostics"]


def test_an_infeasible_program_is_answered_with_its_conflict(client: httpx.Client) -> None:
    answer = ask(client, "explain", text=CONFLICT, name="narrow.mlir")
    assert answer["outcome"] == "refused"
    found = answer["diagnostics"][0]
    assert (found["code"], found["primary"]["file"]) == ("LS0101", "narrow.mlir")
    assert found["minimal"]
    assert found["fixes"]


def test_an_unreadable_program_is_answered_with_its_place(client: httpx.Client) -> None:
    answer = ask(client, "verify", text="func.func @f() {\n")
    assert (answer["outcome"], answer["text"]) == ("unreadable", None)
    assert {item["code"] for item in answer["diagnostics"]} == {"LS0003"}
    assert answer["diagnostics"][0]["primary"]["line"] == 1


def test_a_problem_as_json_is_solved(client: httpx.Client) -> None:
    problem = ask(client, "space", text=SOFTMAX, json=True)["report"]
    answer = ask(client, "solve", problem=problem)
    assert answer["outcome"] == "done"
    assert answer["report"]["status"] == "optimal"
    assert answer["report"]["cost"] == 3


def test_a_wrong_problem_is_answered_with_what_is_wrong(client: httpx.Client) -> None:
    answer = ask(client, "solve", problem={"values": 3})
    assert answer["outcome"] == "unreadable"
    assert {item["code"] for item in answer["diagnostics"]} == {"LS0501"}


def test_the_second_answer_is_the_first_one_byte_for_byte(client: httpx.Client) -> None:
    body = {"text": PROGRAM, "name": "again.mlir"}
    first, second = (client.post("/v1/solve", json=body) for _ in range(2))
    assert (first.headers["layoutsolver-answer"], second.headers["layoutsolver-answer"]) == ("new", "kept")
    assert first.content == second.content


def test_what_the_program_does_not_have_is_refused(client: httpx.Client) -> None:
    response = client.post("/v1/why", json={"text": PROGRAM, "value": "%nothing"})
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["detail"].startswith("no vector `%nothing`")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404), ("GET", "/v1/solve", 405), ("GET", "/v1/schemas/nothing", 404),
        ("GET", "/v1/codes/LS9999", 404), ("GET", "/v1/jobs/nothing", 404), ("DELETE", "/v1/jobs/nothing", 404),
        ("POST", "/v1/nothing", 404),
    ],
)  # fmt: skip
def test_what_does_not_exist_is_a_problem_document(method: str, path: str, status: int, client: httpx.Client) -> None:
    response = client.request(method, path)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["status"] == status


def test_a_body_of_another_type_is_refused(client: httpx.Client) -> None:
    response = client.post("/v1/solve", content=json.dumps({"text": PROGRAM}), headers={"content-type": "text/plain"})
    assert response.status_code == 415


@pytest.mark.parametrize("size", [200_001, 350_000, 5_000_000])
def test_a_body_that_is_too_large_is_refused(size: int, client: httpx.Client) -> None:
    head = b'{"text": "'
    response = client.post(
        "/v1/solve", content=head + b" " * (size - len(head)), headers={"content-type": "application/json"}
    )
    assert response.status_code == 413


def test_a_body_that_does_not_end_is_refused_before_its_end(client: httpx.Client) -> None:
    line = HTTPConnection(client.base_url.host, client.base_url.port or 0, timeout=60)
    line.putrequest("POST", "/v1/solve")
    line.putheader("Content-Type", "application/json")
    line.putheader("Content-Length", "1000000000")
    line.endheaders()
    line.send(b" " * 500_000)
    assert line.getresponse().status == 413
    line.close()


def test_a_program_of_too_many_operations_is_refused(client: httpx.Client) -> None:
    line = "  %c{} = arith.constant 0 : index\n"
    lines = "".join(line.format(number) for number in range(2500))
    response = client.post("/v1/solve", json={"text": f"func.func @f() {{\n{lines}  return\n}}\n"})
    assert response.status_code == 413
    assert "2502 operations" in response.json()["detail"]


def test_all_the_time_that_there_is_may_be_asked_for(client: httpx.Client) -> None:
    assert client.post("/v1/solve", json={"text": PROGRAM, "time_limit": 30}).status_code == 200


def test_a_program_of_just_as_many_operations_as_are_taken_is_answered(client: httpx.Client) -> None:
    lines = "".join(f"  %c{number} = arith.constant 0 : index\n" for number in range(1998))
    text = f"func.func @f() {{\n{lines}  return\n}}\n"
    assert client.post("/v1/solve", json={"text": text}).status_code == 200
    assert (
        client.post(
            "/v1/solve", json={"text": text.replace("  return", "  %d = arith.constant 0 : index\n  return")}
        ).status_code
        == 413
    )


def test_more_time_than_the_service_gives_is_refused(client: httpx.Client) -> None:
    response = client.post("/v1/solve", json={"text": PROGRAM, "time_limit": 31})
    assert response.status_code == 422
    assert [fault["pointer"] for fault in response.json()["errors"]] == ["/time_limit"]


def test_a_stream_ends_with_the_answer(client: httpx.Client) -> None:
    plain = client.post("/v1/solve", json={"text": FP4, "seed": 2})
    with client.stream("POST", "/v1/solve?stream=true", json={"text": FP4, "seed": 2}) as response:
        assert response.headers["content-type"].startswith("application/x-ndjson")
        lines = [json.loads(line) for line in response.iter_lines()]
    assert lines[-1] == {"event": "result", "answer": plain.json()}


def test_a_stream_of_a_request_that_is_none_does_not_begin(client: httpx.Client) -> None:
    assert client.post("/v1/solve?stream=true", json={"text": 1}).status_code == 422


def test_a_stream_of_what_turns_out_to_be_refused_ends_with_the_problem(client: httpx.Client) -> None:
    with client.stream("POST", "/v1/why?stream=true", json={"text": PROGRAM, "value": "%nothing"}) as response:
        lines = [json.loads(line) for line in response.iter_lines()]
    assert [(line["event"], line["problem"]["status"]) for line in lines] == [("problem", 422)]


def test_a_job_is_started_and_asked_after(client: httpx.Client) -> None:
    response = client.post("/v1/jobs", json={"verb": "solve", "request": {"text": PROGRAM, "name": "job.mlir"}})
    assert response.status_code == 202
    where = response.headers["location"]
    deadline = time.monotonic() + 60
    while (status := client.get(where).json())["state"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert status["state"] == "done"
    assert status["answer"] == ask(client, "solve", text=PROGRAM, name="job.mlir")
    assert client.delete(where).json()["state"] == "done", "what is done is not cancelled"


@pytest.mark.parametrize(("verb", "request_", "status"), [("sing", {}, 404), ("solve", {"text": "x", "key": 1}, 422)])
def test_a_job_that_is_no_request_does_not_begin(
    verb: str, request_: dict[str, Any], status: int, client: httpx.Client
) -> None:
    assert client.post("/v1/jobs", json={"verb": verb, "request": request_}).status_code == status


def test_a_job_that_cannot_be_answered_has_failed(client: httpx.Client) -> None:
    request = {"text": PROGRAM, "value": "%nothing"}
    where = client.post("/v1/jobs", json={"verb": "why", "request": request}).headers["location"]
    deadline = time.monotonic() + 60
    while (job := client.get(where).json())["state"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert (job["state"], job["problem"]["status"]) == ("failed", 422)


def test_documents_can_be_looked_up(client: httpx.Client) -> None:
    names = client.get("/v1/schemas").json()
    assert {"layout-problem", "solve-request", "answer"} <= set(names)
    for name in names:
        assert client.get(f"/v1/schemas/{name}").json()["$defs" if name == "solve-request" else "properties"]
    assert "ave:ascend950" in client.get("/v1/targets").json()
    assert client.get("/v1/codes/LS0101").json().startswith("# LS0101")


def test_health(client: httpx.Client) -> None:
    assert client.get("/healthz").json() == {"status": "alive"}
    ready = client.get("/readyz")
    assert ready.status_code == 200
    assert (ready.json()["ready"], ready.json()["store"]) == (True, "working")
    assert client.get("/version").json()["name"] == "layoutsolver"


def test_the_document_describes_every_verb_with_an_example(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    for verb in EXAMPLES:
        body = document["paths"][f"/v1/{verb}"]["post"]["requestBody"]["content"]["application/json"]
        assert body["examples"]
        assert body["schema"]["$ref"].rpartition("/")[2] in document["components"]["schemas"]
