"""Every operation of the tables is run, or is named with the reason why it is not."""

from __future__ import annotations

import pytest

from layoutsolver.ops.vmi import VMI_OPS
from layoutsolver.ops.vpto import LOAD_DISTS, PAIR_LOAD_DISTS, PAIR_STORE_DISTS, STORE_DISTS, VPTO_OPS
from layoutsolver.verify.pto import around
from layoutsolver.verify.vmi import unit as vmi
from layoutsolver.verify.vpto import loads, stores
from layoutsolver.verify.vpto import unit as vpto

AROUND = {"castptr", "addptr", "mte_gm_ub", "mte_ub_gm", "mte_ub_ub", "vecscope", "strict_vecscope",
          "fusion_region", "yield", "pointer_cast", *around.SYNCHRONISATION}  # fmt: skip


@pytest.mark.parametrize("name", [spec.name.removeprefix("pto.") for spec in VPTO_OPS])
def test_every_operation_of_vpto_is_run_or_named(name: str) -> None:
    assert (name in vpto.HANDLERS) + (name in vpto.OPEN) + (name in AROUND) == 1


@pytest.mark.parametrize("name", [spec.name.removeprefix("pto.vmi.") for spec in VMI_OPS])
def test_every_operation_of_vmi_is_run_or_named(name: str) -> None:
    assert (name in vmi.HANDLERS) + (name in vmi.OPEN) == 1


def test_every_distribution_is_run_or_not_documented() -> None:
    splitting = {"SPLT4CHN", "SPLT2CHN_B8", "SPLT2CHN_B16"}
    merging = {"MRG4CHN_B8", "MRG2CHN_B8", "MRG2CHN_B16"}
    assert {*loads.DISTS, *loads.DOWNSAMPLED, *splitting} == set(LOAD_DISTS)
    assert set(loads.PAIR_DISTS) == set(PAIR_LOAD_DISTS)
    assert {*stores.DISTS, *merging} == set(STORE_DISTS)
    assert set(stores.PAIR_DISTS) == set(PAIR_STORE_DISTS)
