"""Finds emitters by name: our own ones by their module, others through the entry points `layoutsolver.backends`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from layoutsolver.diagnostics.diagnostic import Diagnostic, Edit
from layoutsolver.pose.posed import Posed
from layoutsolver_models.problems.layout import LayoutSolution

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from layoutsolver.buckyball.ir import Code
    from layoutsolver.buckyball.llvm.module import Module
    from layoutsolver.pose.vmi.pose import PosedVmi
    from layoutsolver.vmi.peak import RegisterPeak
    from layoutsolver.vmi.program import VmiOp, VmiProgram
    from layoutsolver.vmi.templates import Templates
    from layoutsolver_models.problems.repair import Repair
    from layoutsolver_models.problems.selection import SelectionSolution, Variant
    from layoutsolver_models.solve.selection import Open

GROUP = "layoutsolver.backends"

OWN = {"ave": "layoutsolver_backends.ave:AveBackend"}
"""Our own emitters; looking them up does not need to read the metadata of all that is installed."""

OWN_LOWERINGS = {"ave-intrin": "layoutsolver_backends.intrin.emit:IntrinBackend"}
"""Our own emitters of lower-level text."""

OWN_CODE = {"riscv": "layoutsolver_backends.riscv:RiscvBackend"}
"""Our own emitters of what programs of banks end in."""

VPTO_EMITTER = "layoutsolver_backends.vpto.lower:lower_vmi"
"""Our own emitter of VPTO, which takes another kind of solution."""

VPTO_PEAKS = "layoutsolver_backends.vpto.lower:register_peaks"
"""What counts the registers of a program that our own emitter writes."""

VPTO_TEMPLATES = "layoutsolver_backends.vpto.templates:templates_of"
"""What emits every choice of a program by itself, for the registers that it needs."""

VPTO_SETUPS = "layoutsolver_backends.vpto.setups:Setups"
"""What tells the instructions that an operation sets up, by names."""

VPTO_PAIRS = "layoutsolver_backends.vpto.pairs:Pairs"
"""What counts the instructions of an operation of which an operand is made in some way."""

VMI_WRITER = "layoutsolver_backends.vmi_layouts:annotate"
"""What writes layouts into programs of VMI."""


class CodeBackend(Protocol):
    """What an emitter of LLVM and assembly offers."""

    name: str

    def llvm(self, code: Code) -> Module:
        """The LLVM module of a program at stage `intr`. Raises `LowerError`."""
        ...

    def assembly(self, module: Module) -> str:
        """The assembly of a module. Raises `LlvmError`."""
        ...


class WrittenRepair(Protocol):
    """A repair as text."""

    @property
    def edits(self) -> list[Edit]:
        """What to change."""
        ...

    @property
    def sentences(self) -> list[str]:
        """What each change does."""
        ...


class Backend(Protocol):
    """What an emitter offers."""

    name: str

    def annotate(self, posed: Posed, solution: LayoutSolution, layouts: bool = False) -> list[Edit]:
        """The edits that write a solution into the program's text."""
        ...

    def repair(self, posed: Posed, repair: Repair) -> WrittenRepair:
        """The edits that make a repair, and one sentence for each change."""
        ...


class Lowered(Protocol):
    """A program as edits that lower it, and what is to be said of it."""

    @property
    def edits(self) -> list[Edit]:
        """What to change."""
        ...

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Errors mean that the edits are not to be used."""
        ...


class LoweringBackend(Protocol):
    """What an emitter of lower-level text offers; `dialects` are the versions that it knows, the default first."""

    name: str
    dialects: tuple[str, ...]

    def lower(
        self, posed: Posed, solution: LayoutSolution | None, dialect: str, own_layouts: bool, as_upstream: bool = False
    ) -> Lowered:
        """The edits that lower a program, with the decisions of a solution, or its own where that is None.

        What is written does what the program means; with `as_upstream` it is what the production compiler writes.
        """
        ...


def load_lowering(name: str) -> LoweringBackend:
    """The emitter of that name for lower-level text. Raises `KeyError` if there is none.

    >>> load_lowering("ave-intrin").dialects
    ('1.2.0', 'master')
    """
    backend: LoweringBackend = _named(OWN_LOWERINGS[name])()
    return backend


def load_vpto() -> Callable[[PosedVmi, SelectionSolution], Lowered]:
    """What writes a solved program of VMI as VPTO."""
    emitter: Callable[[PosedVmi, SelectionSolution], Lowered] = _named(VPTO_EMITTER)
    return emitter


def load_register_peaks() -> Callable[[PosedVmi, SelectionSolution], tuple[RegisterPeak, ...] | None]:
    """What counts the registers that are live in a solved program of VMI once it is VPTO."""
    counter: Callable[[PosedVmi, SelectionSolution], tuple[RegisterPeak, ...] | None] = _named(VPTO_PEAKS)
    return counter


def load_register_templates() -> Callable[[PosedVmi, Open], Templates]:
    """What emits each variant and conversion that is left of a VMI problem by itself."""
    maker: Callable[[PosedVmi, Open], Templates] = _named(VPTO_TEMPLATES)
    return maker


def load_setups() -> Callable[[VmiProgram], Callable[[VmiOp, Variant], tuple[tuple[str, str], ...] | None]]:
    """What names the instructions, with their pipes, that a variant of an operation of a VMI program sets up."""
    maker: Callable[[VmiProgram], Callable[[VmiOp, Variant], tuple[tuple[str, str], ...] | None]] = _named(VPTO_SETUPS)
    return maker


def load_pairs() -> Callable[[VmiProgram], Callable[[VmiOp, Variant, VmiOp, Variant], dict[str, int] | None]]:
    """What counts an operation's instructions by pipe, where one of its operands is made by another in some variant."""
    maker: Callable[[VmiProgram], Callable[[VmiOp, Variant, VmiOp, Variant], dict[str, int] | None]]
    maker = _named(VPTO_PAIRS)
    return maker


def load_vmi_writer() -> Callable[[PosedVmi, SelectionSolution], list[Edit]]:
    """What makes the edits that write a solution into a program of VMI."""
    writer: Callable[[PosedVmi, SelectionSolution], list[Edit]] = _named(VMI_WRITER)
    return writer


def load_backend(name: str) -> Backend:
    """The emitter of that name. Raises `KeyError` if none is installed.

    >>> load_backend("ave").name
    'ave'
    """
    backend: Backend = _emitter(name, OWN)
    return backend


def load_code_backend(name: str) -> CodeBackend:
    """The emitter of LLVM and assembly of that name. Raises `KeyError` if none is installed.

    >>> load_code_backend("riscv").name
    'riscv'
    """
    backend: CodeBackend = _emitter(name, OWN_CODE)
    return backend


def _named(target: str) -> Any:
    """What `module:attribute` names."""
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)


def _emitter(name: str, own: Mapping[str, str]) -> Any:
    """An emitter of ours, or one that something else has installed. Raises `KeyError` if there is none."""
    return _named(own[name])() if name in own else _installed(name)


def _installed(name: str) -> Any:
    """An emitter that something else has installed. Raises `KeyError` if nothing has."""
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP):
        if entry.name == name:
            return entry.load()()
    raise KeyError(name)


def backend_packages() -> list[str]:
    """The packages that emitters come from, ours and those of plug-ins.

    >>> backend_packages()[0]
    'layoutsolver_backends'
    """
    from importlib.metadata import entry_points

    own = [target.partition(".")[0] for target in OWN.values()]
    return list(dict.fromkeys([*own, *(entry.module.partition(".")[0] for entry in entry_points(group=GROUP))]))
