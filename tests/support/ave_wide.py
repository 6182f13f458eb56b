"""A builder of random programs that reach further into memory: views, accesses at offsets and over each other."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.support.ave_builder import UB, Builder, Spec, Value

_STEPS = ("32", "64", "96", "128")
_VIEWS = ("offset", "moved", "plane", "dynamic", "row", "argument", "planes")


@dataclass(slots=True)
class WideBuilder(Builder):
    """A function under construction whose accesses reach further: into views, at offsets."""

    views: dict[str, list[tuple[str, str, int]]] = field(default_factory=dict)
    near: bool = False

    def index(self) -> str:
        """An index: a loop variable, an argument, zero or, unless it must be `near`, a few blocks further."""
        if not self.near and self.chance(0.3):
            return self.bound(self.rng.choice(_STEPS))
        return Builder.index(self)

    def memory(self, elem: str, kind: str = "") -> tuple[str, str]:
        """An access, of a view of what is there now and then; of predicates whole registers, which lie apart."""
        if elem == "i1":
            self.near = True
            found = Builder.memory(self, elem, kind)
            self.near = False
            return found
        if not kind and self.chance(0.3):
            self.view(elem)
        made = [view for view in self.views.get(elem, []) if kind != "2d" or view[2] == 2]
        if made and kind in ("", "2d") and self.chance(0.4):
            name, type_, rank = self.rng.choice(made)
            return f"{name}[{', '.join([self.bound('0')] * (rank - 1) + [self.index()])}]", type_
        return Builder.memory(self, elem, kind)

    def new_mask(self, state: str) -> Value:
        """A mask, mostly clear behind the last element."""
        made = Builder.new_mask(self, state)
        if made.shape != self.shape or not self.chance(0.75):
            return made
        kind = f"vector<{self.shape}i1>"
        spec = Spec("i1", self.shape, state)
        limit = self.op([spec, Spec("index", "scalar", None)],
                        f"ave.hir.plt {self.bound(str(self.lanes))} : {kind}, index", [])[0]  # fmt: skip
        text = f"ave.hir.preg.and <b8> {made.name}, {made.name}, {limit.name} : {kind}"
        return self.op([spec], text, [made, limit])[0]

    def view(self, elem: str) -> None:
        """Make a view of a buffer, once for each kind."""
        kind = self.rng.choice(_VIEWS)
        name = f"%view_{kind}_{elem}"
        if any(known == name for known, _, _ in self.views.get(elem, [])):
            return
        type_, rank = f"memref<512x{elem}, strided<[1], offset: 64>, {UB}>", 1
        if kind == "argument":
            type_ = f"memref<?x{elem}, strided<[?], offset: ?>, {UB}>"
            self.args.append(f"{name}: {type_}")
        elif kind == "planes":
            type_, rank = f"memref<?x?x{elem}, {UB}>", 2
            self.args.append(f"{name}: {type_}")
        elif kind == "row":
            base, given = self._buffer("2d", elem)
            type_ = f"memref<256x{elem}, strided<[1], offset: 256>, {UB}>"
            self._before(name, f"memref.subview {base}[1, 0] [1, 256] [1, 1] : {given} to {type_}")
        else:
            base, given = self._buffer("1d", elem)
            if kind == "offset":
                self._before(name, f"memref.subview {base}[64] [512] [1] : {given} to {type_}")
            elif kind == "moved":
                type_ = f"memref<512x{elem}, strided<[1], offset: ?>, {UB}>"
                place = self.bound("128")
                self._before(name, f"memref.subview {base}[{place}] [512] [1] : {given} to {type_}")
            elif kind == "plane":
                type_, rank = f"memref<4x128x{elem}, strided<[128, 1], offset: 96>, {UB}>", 2
                shape = "offset: [96], sizes: [4, 128], strides: [128, 1]"
                self._before(name, f"memref.reinterpret_cast {base} to {shape} : {given} to {type_}")
            else:
                type_ = f"memref<?x{elem}, {UB}>"
                self._before(name, f"memref.cast {base} : {given} to {type_}")
        self.views.setdefault(elem, []).append((name, type_, rank))

    def _buffer(self, kind: str, elem: str) -> tuple[str, str]:
        access, type_ = Builder.memory(self, elem, kind)
        return access.partition("[")[0], type_

    def _before(self, name: str, text: str) -> None:
        self.prologue.append(f"{name} = {text}")
