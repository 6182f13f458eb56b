"""Memory as programs see it: memrefs in the DRAM that the instructions move from and to."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from layoutsolver_models.hardware.buckyball.banks import Fault
from layoutsolver_models.hardware.buckyball.dram import BASE, Dram

Array = npt.NDArray[Any]

DTYPES: dict[str, Any] = {
    "f32": np.float32, "f64": np.float64, "f16": np.float16, "i8": np.int8, "i16": np.int16, "i32": np.int32,
    "i64": np.int64, "index": np.int64, "i1": np.bool_,
}  # fmt: skip
"""What elements of memory are; other types are not run."""

ALIGNMENT = 64
GUARD = 256
"""Bytes between allocations, which nothing may touch."""


MOST_BYTES = 1 << 29
"""A program that needs more memory is not run."""


class MemRef(NamedTuple):
    """Where elements are: the address of the allocation, the offset and strides in elements, dimensions, type."""

    base: int
    offset: int
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    element: str

    @property
    def size(self) -> int:
        """The bytes of an element."""
        return int(np.dtype(DTYPES[self.element]).itemsize)

    @property
    def address(self) -> int:
        """The address of the first element."""
        return self.base + self.offset * self.size

    def extent(self) -> tuple[int, int]:
        """The addresses of the first byte and behind the last."""
        last = sum((dim - 1) * stride for dim, stride in zip(self.dims, self.strides, strict=True))
        return self.address, self.address + (last + 1) * self.size

    def is_empty(self) -> bool:
        """Whether it has no elements."""
        return 0 in self.dims


class Memory:
    """DRAM with an allocator; what is fresh has random bytes that nothing has determined."""

    def __init__(self, size: int, seed: int) -> None:
        self.dram = Dram(0)
        self.random = np.random.default_rng(seed)
        self.grow(size)
        self.next = BASE
        self.live: dict[int, int] = {}
        self.free: dict[int, list[int]] = {}

    def grow(self, size: int) -> None:
        """Have so many bytes of DRAM. Raises `Fault` where that is more than a run may take."""
        if size > MOST_BYTES:
            raise Fault("unsupported", f"a program with more than {MOST_BYTES} bytes of memory")
        more = size - self.dram.data.size
        self.dram.data = np.concatenate([self.dram.data, self.random.integers(0, 256, more, np.uint8)])
        self.dram.known = np.concatenate([self.dram.known, np.zeros(more, np.bool_)])

    def allocate(self, dims: tuple[int, ...], element: str) -> MemRef:
        """Fresh contiguous memory."""
        strides: list[int] = []
        count = 1
        for dim in reversed(dims):
            strides.append(count)
            count *= dim
        size = count * int(np.dtype(DTYPES[element]).itemsize)
        have = self.dram.data.size
        if not self.free.get(size) and self.next + size + GUARD > BASE + have:
            self.grow(max(self.next + size + GUARD - BASE, 2 * have))
        if self.free.get(size):
            base = self.free[size].pop()
        else:
            base = self.next
            self.next = -(-(base + size + GUARD) // ALIGNMENT) * ALIGNMENT
        self.dram.check(base, base + size)
        self.dram.known[base - BASE : base - BASE + size] = False
        self.live[base] = size
        return MemRef(base, 0, dims, tuple(reversed(strides)), element)

    def release(self, memref: MemRef) -> None:
        """Give an allocation back. It may be in use again soon."""
        size = self.live.pop(memref.base, None)
        if size is None:
            raise Fault("memory", "memory is freed that is not allocated")
        self.dram.touch(memref.base, memref.base + size, writes=True)
        self.dram.known[memref.base - BASE : memref.base - BASE + size] = False
        self.free.setdefault(size, []).append(memref.base)

    def check(self, memref: MemRef) -> None:
        """Refuse a view that leaves its allocation."""
        size = self.live.get(memref.base)
        first, last = memref.extent()
        if size is None or first < memref.base or last > memref.base + size:
            raise Fault("memory", f"elements of `{memref.element}` outside of the memory that they are a view of")

    def read(self, memref: MemRef) -> Array:
        """The elements, as the processor reads them."""
        if memref.is_empty():
            return np.zeros(memref.dims, DTYPES[memref.element])
        self._touch(memref, writes=False)
        if not self._known(memref).all():
            raise Fault("undefined", "the processor reads memory that nothing has written")
        return self._view(memref).copy()

    def write(self, memref: MemRef, values: Array) -> None:
        """Set the elements, as the processor writes them."""
        if memref.is_empty():
            return
        self._touch(memref, writes=True)
        self._view(memref)[...] = values
        self._known(memref)[...] = True

    def _touch(self, memref: MemRef, writes: bool) -> None:
        self.check(memref)
        first, last = memref.extent()
        places = None
        if self.dram.pending:
            grid = np.zeros(memref.dims, np.int64)
            for axis, (dim, stride) in enumerate(zip(memref.dims, memref.strides, strict=True)):
                shape = [1] * len(memref.dims)
                shape[axis] = dim
                grid = grid + (np.arange(dim) * stride * memref.size).reshape(shape)
            places = (memref.address + grid.reshape(-1)[:, None] + np.arange(memref.size)).reshape(-1)
        self.dram.touch(first, last, writes, places)

    def _view(self, memref: MemRef) -> Array:
        kind = np.dtype(DTYPES[memref.element])
        first, last = memref.extent()
        data = self.dram.data[first - BASE : last - BASE].view(kind)
        return np.lib.stride_tricks.as_strided(
            data, memref.dims, tuple(stride * kind.itemsize for stride in memref.strides)
        )

    def _known(self, memref: MemRef) -> Array:
        first, last = memref.extent()
        flags = self.dram.known[first - BASE : last - BASE]
        steps = tuple(stride * memref.size for stride in memref.strides)
        return np.lib.stride_tricks.as_strided(flags, (*memref.dims, memref.size), (*steps, 1))
