"""The operation tables of VMI and VPTO on programs that have every operation in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from layoutsolver.graph.build import build_graph
from layoutsolver.graph.model import Graph, OpNode
from layoutsolver.mlir.pto_types import PointerType, PredicateType, RegisterType, VmiMaskType, VmiVectorType
from layoutsolver.mlir.reader import read
from layoutsolver.mlir.types import OtherType, ScalarType
from layoutsolver.ops.registry import TABLES, find_spec, pto_specs
from layoutsolver.ops.spec import Effect, Kind
from layoutsolver.ops.vpto import STRINGS

PROGRAMS = Path(__file__).parent / "programs"
NAMES = ("vmi_surface", "vmi_legacy", "vpto")
TYPES = {
    Kind.VECTOR: (VmiVectorType, RegisterType),
    Kind.INDEX_VECTOR: (VmiVectorType, RegisterType),
    Kind.MASK: (VmiMaskType, PredicateType),
    Kind.POINTER: (PointerType,),
    Kind.SCALAR: (ScalarType,),
    Kind.INDEX: (ScalarType,),
}


def graph_of(text: str) -> Graph:
    module = read(text)
    assert module.diagnostics == []
    assert str(module) == text
    graph, diagnostics = build_graph(module)
    assert [item.message for item in diagnostics] == []
    return graph


def program(name: str) -> str:
    return (PROGRAMS / f"{name}.pto").read_text(encoding="utf-8")


def pto_ops(graph: Graph) -> list[OpNode]:
    return [node for node in graph.ops if node.name.startswith("pto.")]


def summary(graph: Graph, node: OpNode) -> str:
    """The operation with the role, name and type of its operands, and the types of its results."""
    values = graph.values
    operands = [
        f"{role} {values[value].name}: {values[value].type.text}"
        for role, value in zip(node.roles, node.operands, strict=True)
    ]
    results = [values[value].type.text for value in node.results]
    enums = "".join(f" {kind}={value}" for kind, value in node.enums.items())
    return f"{node.name}{enums} ({'; '.join(operands)}) -> ({'; '.join(results)})"


@pytest.mark.parametrize("name", NAMES)
def test_operands_get_their_roles_and_results_their_types(name: str, golden: Callable[[str, str], None]) -> None:
    graph = graph_of(program(name))
    golden(f"ops/{name}.txt", "".join(f"{summary(graph, node)}\n" for node in pto_ops(graph)))


def test_every_operation_with_a_form_occurs_in_the_programs() -> None:
    found = {node.name for name in NAMES for node in pto_ops(graph_of(program(name)))}
    assert len(TABLES["vmi"]()) == 145
    assert len(TABLES["vpto"]()) == 143
    assert {spec.name for spec in pto_specs().values() if spec.assembly} == found


@pytest.mark.parametrize("name", NAMES)
def test_operands_and_results_are_of_the_kinds_that_the_roles_say(name: str) -> None:
    graph = graph_of(program(name))
    for node in pto_ops(graph):
        assert node.spec is not None
        kinds = {role.name: role.kind for role in node.spec.operands}
        found = [(kinds[role], graph.values[value].type) for role, value in zip(node.roles, node.operands, strict=True)]
        if not any(role.variadic for role in node.spec.results):
            found += [
                (role.kind, graph.values[value].type)
                for role, value in zip(node.spec.results, node.results, strict=False)
            ]
        for kind, type_ in found:
            assert isinstance(type_, TYPES.get(kind, object)), (node.name, kind, type_)
            assert kind is Kind.ANY or not isinstance(type_, OtherType)


@pytest.mark.parametrize("name", NAMES)
def test_a_line_without_its_types_or_with_one_too_many_is_reported(name: str) -> None:
    text = program(name)
    for node in pto_ops(graph_of(text)):
        line = text[node.op.span.start : node.op.span.end]
        body, colon, _ = line.rpartition(" : ")
        if not colon:
            continue
        for broken in (body,) if node.op.is_generic else (body, f"{line}, i1, i1, i1"):
            module = read(text.replace(line, broken))
            _, diagnostics = build_graph(module)
            found = {item.code for item in (*module.diagnostics, *diagnostics)}
            assert found & {"LS0004", "LS0005", "LS0205"}, broken


def test_a_store_tells_strides_from_masks() -> None:
    head = '%p = "t.v"() : () -> !pto.ptr<f32, ub>\n'
    for behind, types, roles in (
        ("", "", ""),
        (", %x", ", !pto.vmi.mask<64xpred>", "mask"),
        (", %x", "", "stride"),
        (", %x, %y", "", "block_stride repeat_stride"),
        (", %x, %y", ", !pto.vmi.mask<64xpred>", "stride mask"),
        (", %x, %y, %z", ", !pto.vmi.mask<64xpred>", "block_stride repeat_stride mask"),
    ):
        defined = "".join(
            f'%{name} = "t.v"() : () -> {type_}\n'
            for name, type_ in (("v", "!pto.vmi.vreg<64xf32>"), ("o", "index"), ("x", ""), ("y", ""), ("z", ""))
            if type_
        )
        text = f"{head}{defined}pto.vmi.vstore %v, %p[%o]{behind} : !pto.vmi.vreg<64xf32>, !pto.ptr<f32, ub>{types}\n"
        graph, _ = build_graph(read(text))
        assert graph.ops[-1].roles == ["value", "destination", "offset", *roles.split()]


@pytest.mark.parametrize(
    ("sizes", "operands", "roles"),
    [
        ("1, 1, 1, 0, 0, 0, 1", 4, "value destination offset mask"),
        ("2, 1, 1, 0, 0, 0, 0", 4, "value high destination offset"),
        ("1, 1, 1, 0, 1, 1, 1", 6, "value destination offset block_stride repeat_stride mask"),
        ("1, 1, 1, 1, 0, 0, 0", 4, "value destination offset stride"),
    ],
)
def test_segments_tell_the_roles_of_the_generic_form(sizes: str, operands: int, roles: str) -> None:
    names = [f"%{number}" for number in range(operands)]
    defined = "".join(f'{name} = "t.v"() : () -> none\n' for name in names)
    text = (
        f'{defined}"pto.vmi.vstore"({", ".join(names)}) <{{operandSegmentSizes = array<i32: {sizes}>}}> '
        f": ({', '.join(['none'] * operands)}) -> ()\n"
    )
    graph, diagnostics = build_graph(read(text))
    assert diagnostics == []
    assert graph.ops[-1].roles == roles.split()
    graph, diagnostics = build_graph(read(text.replace(f"<{{operandSegmentSizes = array<i32: {sizes}>}}> ", "")))
    assert [item.code for item in diagnostics] == ["LS0004"]


def test_an_operation_without_a_custom_form_says_so() -> None:
    _, diagnostics = build_graph(read("%r = pto.vmi.vlrelu %x : f32 -> f32"))
    assert diagnostics[0].message.startswith('`pto.vmi.vlrelu`: expected the generic form, `"pto.vmi.vlrelu"(')


def test_effects_and_strings() -> None:
    for name, effect in {
        "pto.vmi.vload": Effect.READ, "pto.vmi.group_store": Effect.WRITE, "pto.vmi.vadd": Effect.PURE,
        "pto.vlds": Effect.READ, "pto.vsts": Effect.WRITE, "pto.mem_bar": Effect.ORDER, "pto.vecscope": Effect.CONTROL,
    }.items():  # fmt: skip
        found = find_spec(name)
        assert found is not None
        assert found.effect is effect
    for (mnemonic, kind), values in STRINGS.items():
        found = find_spec(f"pto.{mnemonic}")
        assert found is not None
        assert f'"{kind}"' in found.assembly
        assert values
    assert find_spec("pto.no_such_thing") is None
    assert find_spec("ave.hir.vload") is not None
