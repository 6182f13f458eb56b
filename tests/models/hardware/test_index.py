"""The index lists every instruction that the model has, and each takes and returns states only."""

from __future__ import annotations

import inspect
from importlib import import_module
from pkgutil import iter_modules

import pytest

from layoutsolver_models import hardware
from layoutsolver_models.hardware.index import INSTRUCTIONS

BASIS = {"elementwise", "encoding", "formats", "hifloat", "html", "index", "lanewise", "rounding", "state", "ub"}
"""Modules that instructions are made of; all others hold instructions."""

HELPERS = {"splat", "sum_format", "append", "exact_sum", "extreme"}
OPERATIONS = """
    vabs vneg vnot vexp vsqrt vrsqrt vln vrelu vadd vsub vmul vdiv vdivfhp vmod vmodui vmax vmin vsmax vsmin
    vumax vumin vand vor vxor vabs_diff vsadd vssub vrnd vprelu vexpdif vshl vshr vadds vmuls vlrelus vmaxs vmins
    vsmaxs vsmins vumaxs vumins vshls vshrs vmula mull vextf vextsi vextui vtrunci vtruncf vfptosi vfptoui vsitofp
    vuitofp vtrc vintlv vdintlv vpack vunpack vslide vcmp vcmps vsel vci pge plt pltm vscatter
"""


MODULES = [found.name for found in iter_modules(hardware.__path__) if not found.ispkg and found.name not in BASIS]


@pytest.mark.parametrize("name", MODULES)
def test_every_public_function_is_listed(name: str) -> None:
    module = import_module(f"{hardware.__name__}.{name}")
    listed = {i.function for i in INSTRUCTIONS.values()}
    own = {
        name: f
        for name, f in inspect.getmembers(module, inspect.isfunction)
        if f.__module__ == module.__name__ and not name.startswith("_") and name not in HELPERS
    }
    assert own
    assert [name for name, f in own.items() if f not in listed] == []


def test_the_elementwise_operations_of_the_dialect_are_there() -> None:
    assert [name for name in OPERATIONS.split() if name not in INSTRUCTIONS] == []


@pytest.mark.parametrize("name", list(INSTRUCTIONS))
def test_every_instruction_says_what_it_returns_and_where_that_is_from(name: str) -> None:
    instruction = INSTRUCTIONS[name]
    assert instruction.source.startswith(("PTO ISA document, ", "HIVM"))
    assert (instruction.function.__doc__ or "").startswith("The ")
    assert (
        "return" in inspect.signature(instruction.function).parameters or instruction.function.__annotations__["return"]
    )
