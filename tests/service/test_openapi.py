"""Requests made from the OpenAPI document itself: every answer is one that the document has, and none is a failure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import positive_data_acceptance

from layoutsolver.service.http import make_app
from layoutsolver.service.limits import ServiceLimits
from tests.support.serving import serving

DOCUMENT = make_app(ServiceLimits(), None).openapi()
OPENAPI = schemathesis.openapi.from_dict(DOCUMENT)
OPERATIONS: list[Any] = [found.ok() for found in OPENAPI.get_all_operations() if hasattr(found, "ok")]
NEGATABLE = [operation for operation in OPERATIONS if operation.body]


@pytest.fixture(scope="module")
def service() -> Iterator[httpx.Client]:
    with serving("--store", "off", "--time-limit", "2") as (client, _):
        yield client


def hold(service: httpx.Client, operation: Any, mode: GenerationMode, examples: int) -> None:
    """Send requests of an operation, right or wrong ones, and hold every answer against the document."""

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(max_examples=examples, derandomize=True, suppress_health_check=list(HealthCheck))
    def send(case: Any) -> None:
        response = case.call(base_url=str(service.base_url))
        case.validate_response(response, excluded_checks=[positive_data_acceptance])
        if mode is GenerationMode.POSITIVE and response.status_code == 422:
            kind = response.json()["type"].rpartition(":")[2]
            assert kind in ("refused-request", "over-limit"), response.text

    send()


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_what_the_document_allows_is_answered_as_it_says(operation: Any, service: httpx.Client) -> None:
    hold(service, operation, GenerationMode.POSITIVE, 12)


@pytest.mark.parametrize("operation", NEGATABLE, ids=lambda operation: operation.label)
def test_what_the_document_forbids_is_refused_as_it_says(operation: Any, service: httpx.Client) -> None:
    hold(service, operation, GenerationMode.NEGATIVE, 12)
