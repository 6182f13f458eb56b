"""`linalg` operations on memory: elementwise ones exactly, products and convolutions as the path quantises them."""

from __future__ import annotations

import re
from collections import ChainMap
from typing import Any

import numpy as np

from layoutsolver.buckyball.ir import Op, Value
from layoutsolver.buckyball.maps import read_maps
from layoutsolver.buckyball.surround import FORMS
from layoutsolver.verify.buckyball import reference, scalars
from layoutsolver.verify.buckyball.memory import Array, Memory, MemRef
from layoutsolver.verify.buckyball.planes import convolution
from layoutsolver.verify.buckyball.scalars import REDUCERS, Unsupported
from layoutsolver_models.hardware.buckyball.banks import Fault
from layoutsolver_models.targets.bank_chip import BankChip


def copy_elements(source: MemRef, target: MemRef, memory: Memory) -> None:
    """Copy, with what is known of each byte: padding that nothing has written may be copied."""
    if source.dims != target.dims:
        raise Fault("memory", f"a copy of {source.dims} elements to {target.dims}")
    memory.write(target, memory.read(source))


def run_named(op: Op, values: list[Any], memory: Memory, chip: BankChip) -> None:
    """Run a named operation with inputs and one output in memory."""
    name, target = op.name, values[-1]
    if name == "linalg.fill":
        memory.write(target, np.asarray(values[0]))
        return
    inputs = [memory.read(value) for value in values[: op.number("inputs")]]
    if name == "linalg.add":
        with np.errstate(all="ignore"):
            memory.write(target, inputs[0] + inputs[1])
    elif name == "linalg.copy":
        memory.write(target, inputs[0])
    elif name == "linalg.transpose":
        order = [int(one or 0) for one in op.listed("permutation")]
        memory.write(target, inputs[0].transpose(order))
    elif name == "linalg.matmul":
        left, right = (one.reshape(one.shape[-2:]) if one.ndim == 3 else one for one in inputs)
        right = right.T if op.attrs.get("indexing_maps") else right
        memory.write(target, reference.tiled(left, right, chip).reshape(target.dims))
    elif name == "linalg.batch_matmul":
        found = [reference.tiled(left, right, chip) for left, right in zip(*inputs, strict=True)]
        memory.write(target, np.array(found))
    elif name.startswith("linalg.conv_2d"):
        memory.write(target, _convolution(op, inputs[0], inputs[1], chip))
    else:
        raise Unsupported(f"`{name}`")


def _convolution(op: Op, source: Array, kernel: Array, chip: BankChip) -> Array:
    for name in ("strides", "dilations"):
        if name in op.attrs and set(op.listed(name)) != {1}:
            raise Unsupported(f"a convolution with {name}")
    if op.name == "linalg.conv_2d_nhwc_hwcf":
        return convolution(source, kernel, chip)
    if op.name == "linalg.conv_2d_nhwc_fhwc":
        return convolution(source, kernel.transpose(1, 2, 3, 0), chip)
    found = convolution(source.transpose(0, 2, 3, 1), kernel.transpose(2, 3, 1, 0), chip)
    return found.transpose(0, 3, 1, 2)


# -- linalg.generic ---------------------------------------------------------------------------------------------------


def run_generic(op: Op, values: list[Any], memory: Memory, outside: dict[Value, Any]) -> None:
    """Run an elementwise operation, or one that makes one number of many by a single operation.

    `outside` has the values that are known around it.
    """
    iterators = re.findall(r'"(\w+)"', op.text("iterator_types"))
    inputs = op.number("inputs")
    maps = read_maps(op.text("indexing_maps"))
    assert maps is not None
    dims = maps.dims
    block = op.blocks[0]
    arrays = [
        _spread(memory.read(value), used, dims) for value, used in zip(values[:inputs], maps.operands, strict=False)
    ]
    target, used = values[-1], maps.operands[-1]
    env: ChainMap[Value, Any] = ChainMap(dict(zip(block.arguments, arrays, strict=False)), outside)
    accumulator = block.arguments[-1]
    result: Any = None
    reducer = ""
    for inner in block.ops:
        if inner.name == "linalg.yield":
            result = inner.operands[0]
            break
        if accumulator in inner.operands and "reduction" in iterators:
            reducer = inner.name
            others = [one for one in inner.operands if one is not accumulator]
            if len(others) != 1 or reducer not in REDUCERS:
                raise Unsupported("`linalg.generic` that reduces by more than one operation")
            env[inner.result] = env[others[0]]
            continue
        env[inner.result] = _elementwise(inner, env)
    if "reduction" not in iterators:
        _write_spread(memory, target, env[result], used, dims)
        return
    if not reducer:
        raise Unsupported("`linalg.generic` that reduces nothing")
    axes = tuple(at for at, dim in enumerate(dims) if dim not in used)
    kept = [dim for dim in dims if dim in used]
    if kept != used:
        raise Unsupported("`linalg.generic` whose output is transposed")
    with np.errstate(all="ignore"):
        memory.write(target, _reduced(REDUCERS[reducer], memory.read(target), env[result], axes))


def _reduced(operation: np.ufunc, before: Array, values: Array, axes: tuple[int, ...]) -> Array:
    """What is there joined with all elements along some axes, in their order, which sums of floats depend on."""
    if operation not in (np.add, np.multiply):
        return np.asarray(operation(before, operation.reduce(values, axis=axes)))
    kept = [axis for axis in range(values.ndim) if axis not in axes]
    total = before
    for one in values.transpose([*axes, *kept]).reshape(-1, *(values.shape[axis] for axis in kept)):
        total = operation(total, one)
    return np.asarray(total)


def _elementwise(op: Op, env: ChainMap[Value, Any]) -> Any:
    values = [env[operand] for operand in op.operands]
    form = FORMS.get(op.name)
    if form == "binary":
        return scalars.binary(op.name, values[0], values[1], op.result.type)
    if form == "unary":
        return scalars.unary(op.name, values[0])
    if form == "constant":
        return scalars.constant(op.text("value"), op.result.type)
    if form == "compare":
        return scalars.compare(op.text("predicate"), values[0], values[1])
    if form == "select":
        return np.where(values[0], values[1], values[2])
    raise Unsupported(f"`{op.name}` in `linalg.generic`")


def _spread(values: Array, used: list[str], dims: list[str]) -> Array:
    """An operand over all dimensions of the operation."""
    order = sorted(range(len(used)), key=lambda at: dims.index(used[at]))
    turned = values.transpose(order)
    shape = [turned.shape[[used[at] for at in order].index(dim)] if dim in used else 1 for dim in dims]
    return turned.reshape(shape)


def _write_spread(memory: Memory, target: MemRef, values: Array, used: list[str], dims: list[str]) -> None:
    order = [dims.index(one) for one in used]
    if len(order) != len(dims):
        raise Unsupported("`linalg.generic` whose output lacks a dimension")
    memory.write(target, np.broadcast_to(values.transpose(order), target.dims))
