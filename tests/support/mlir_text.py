"""Random MLIR text, custom and generic form mixed, with what a reader should find in it."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from hypothesis import strategies as st

PLAIN_TYPES = ("i32", "f32", "index", "i1", "vector<64xf32>", "memref<4x?xf32>", "tensor<2x3xi8>", "vector<4x8xi16>")
FOREIGN_TYPES = (
    "vector<64xi8, #ave.vector_layout<{mem = #ave.vec_mem_type<b8>}>>",
    "vector<64xi1, #ave.vector_layout<{mem = #ave.vec_mem_type<b16>}>>",
    "memref<64xf32, strided<[16, 1], offset: ?>, #hivm.address_space<ub>>",
    "memref<8xf32, affine_map<(d0)[s0] -> (d0 + s0)>>",
    "!pto.ptr<f32, ub>",
    "!llvm.struct<(i32, !llvm.ptr<6>)>",
    "vector<[4]xf32>",
    "tuple<i32, tuple<f32>>",
)
STRINGS = (
    '"plain"', '"a\\"b"', '"}{"', '"<(["', '"// no comment"', '"%0 = foo.bar"', '"back\\\\"', '"日本"', '"#-}"', '""',
)  # fmt: skip
_NOTES = ("// note", "// } ) ] > { ( [ <", '// "', "// %a = foo.bar", "//", "// -----x", '// "d.op"() : () -> ()')
_DIALECTS = ("test", "pto.own", "accel", "ave.own", "x_1")
_MNEMONICS = ("alpha", "beta.gamma", "store_8", "v", "return", "yield")
_LOCATIONS = (
    "loc(unknown)",
    'loc("f.mlir":3:7)',
    "loc(#loc1)",
    'loc(callsite("a" at "b":1:2))',
    'loc(fused<"x">["y"])',
)


@dataclass(frozen=True, slots=True)
class Expected:
    """One operation that the text holds; `operands` as written, `results` as `(name, count)`, `depth` from 0."""

    name: str
    results: tuple[tuple[str, int], ...]
    operands: tuple[str, ...]
    depth: int
    types: tuple[str, ...] = ()
    generic: bool = True


@dataclass(frozen=True, slots=True)
class Program:
    """A text, its operations parents first, and its aliases by name."""

    text: str
    ops: tuple[Expected, ...]
    aliases: dict[str, str]


def programs(*, generic_only: bool = False, size: int = 12) -> st.SearchStrategy[Program]:
    """Programs of up to about `size` operations; with `generic_only`, in the generic form and with builtin types.

    They are made from a seed and a size, of which only the size shrinks to something: that is a hundred times faster
    than drawing every choice.
    """

    def make(seed: int, at_most: int) -> Program:
        return write_program(random.Random(seed), generic_only=generic_only, size=at_most)

    return st.builds(make, st.integers(0, 2**32 - 1), st.integers(1, size))


def write_program(rng: random.Random, *, generic_only: bool = False, size: int = 12) -> Program:
    """The program that a random generator leads to."""
    writer = _Writer(rng, generic_only, 1 + rng.randrange(size))
    writer.write()
    return Program("".join(writer.out), tuple(op for op in writer.ops if op is not None), writer.aliases)


@dataclass(slots=True)
class _Writer:
    rng: random.Random
    generic_only: bool
    budget: int
    out: list[str] = field(default_factory=list)
    ops: list[Expected | None] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    visible: list[tuple[str, str]] = field(default_factory=list)
    labels: int = 0
    counter: int = 0
    depth: int = 0

    # -- pieces -----------------------------------------------------------------------------------------------

    def chance(self, percent: int) -> bool:
        return self.rng.randrange(100) < percent

    def put(self, *pieces: str) -> None:
        self.out.extend(pieces)

    def gap(self) -> None:
        """White space where a line may break."""
        kind = self.rng.randrange(12)
        self.put(" " if kind < 9 else ("\n      ", "\t", f" {self.rng.choice(_NOTES)}\n   ")[kind - 9])

    def line(self) -> None:
        note = f" {self.rng.choice(_NOTES)}" if self.chance(20) else ""
        ending = "\r\n" if not note and self.chance(5) else "\n"
        self.put(note, ending, "  " * self.depth)
        if self.chance(8):
            self.put(self.rng.choice(_NOTES), "\n\n")

    def fresh(self) -> str:
        self.counter += 1
        shapes = ("%{}", "%v{}", "%a.b_{}", "%x${}") if self.generic_only else ("%{}", "%v{}", "%a.b_{}", "%d-{}")
        return self.rng.choice(shapes).format(self.counter)

    def type(self) -> str:
        if self.generic_only or self.chance(60):
            return self.rng.choice(PLAIN_TYPES)
        known = [alias for alias in self.aliases if alias[0] == "!"]
        return self.rng.choice(known) if known and self.chance(40) else self.rng.choice(FOREIGN_TYPES)

    def commas(self, texts: list[str]) -> None:
        for number, text in enumerate(texts):
            if number:
                self.put(",")
                self.gap()
            self.put(text)

    def entries(self) -> str:
        """What stands in an attribute dictionary, which is not empty."""
        kinds = [("a", "1 : i32"), ("d.u", "true"), ("s", self.rng.choice(STRINGS)), ("l", "[1, 2]"), ("u", "")]
        if not self.generic_only:
            kinds += [
                ("v", "#ave.vec_mem_type<b8>"), ("n", "{x = {y}}"), ("m", "affine_map<(d0) -> (d0 * 2)>"),
                ("t", "(i32) -> f32"), ("dl.u", ""),
            ]  # fmt: skip
        picked = [self.rng.choice(kinds) for _ in range(1 + self.rng.randrange(3))]
        named = [
            f"{key}{number} = {value}" if value else f"{key}{number}" for number, (key, value) in enumerate(picked)
        ]
        if self.chance(10):
            named.append('"q } u" = 1')
        return ", ".join(named)

    def attributes(self, percent: int = 40) -> None:
        if self.chance(percent):
            self.gap()
            self.put("{", self.entries(), "}")

    def location(self) -> None:
        if not self.generic_only and self.chance(15):
            self.put(" ", self.rng.choice(_LOCATIONS))

    # -- structure --------------------------------------------------------------------------------------------

    def write(self) -> None:
        if self.generic_only:
            self.put('"builtin.module"() (')
            self.ops.append(Expected("builtin.module", (), (), 0))
            self.region(1)
            self.put(") : () -> ()\n")
            return
        if self.chance(30):
            self.put("// RUN: mlir-opt %s\n")
        for number in range(self.rng.randrange(3)):
            name = f"!t{number}"
            self.alias(name, self.rng.choice((*PLAIN_TYPES, *FOREIGN_TYPES)))
        if self.chance(30):
            self.alias("#map0", "affine_map<(d0, d1)[s0] -> (d0 + s0, d1 floordiv 2)>")
        self.alias("#loc1", 'loc("in{put":1:2)')
        for _ in range(1 + self.rng.randrange(4)):
            if self.chance(15):
                self.put("\n// -----\n")
            self.op("", False)
            self.line()
        if self.chance(20):
            self.put('\n{-#\n  dialect_resources: {\n    builtin: { k: "0x0800" }\n  }\n#-}\n')
        if self.chance(20):
            self.put("// the end")

    def alias(self, name: str, text: str) -> None:
        self.put(name, " = ", text)
        self.aliases[name] = text
        self.put(" // why\n" if self.chance(20) else "\n")

    def results(self, most: int = 3) -> tuple[list[tuple[str, int]], list[tuple[str, str]]]:
        """Result names with counts, and the values that they make as `(name, type)`."""
        names: list[tuple[str, int]] = []
        values: list[tuple[str, str]] = []
        for _ in range(self.rng.randrange(most)):
            name, count = self.fresh(), 1 if self.chance(75) else 2
            names.append((name, count))
            values += [(name if count == 1 else f"{name}#{part}", self.type()) for part in range(count)]
        if names:
            self.commas([name if count == 1 else f"{name}:{count}" for name, count in names])
            self.put(" ", "=")
            self.gap()
        return names, values

    def operands(self, most: int = 4) -> list[tuple[str, str]]:
        if not self.visible:
            return []
        return [self.rng.choice(self.visible) for _ in range(self.rng.randrange(most))]

    def name(self) -> str:
        return f"{self.rng.choice(_DIALECTS)}.{self.rng.choice(_MNEMONICS)}_{self.rng.randrange(10)}"

    def op(self, label: str, must_show: bool) -> None:
        """An operation; `must_show` asks for one that is told from an attribute dictionary at once."""
        self.budget -= 1
        if self.generic_only:
            self.generic_op()
            return
        form = self.rng.randrange(8 if self.depth <= 4 and self.budget > 0 else 5)
        if form < 2 or (form == 7 and self.depth > 1):
            self.generic_op()
        elif form == 4 and label:
            self.branch_op(label)
        elif form < 5:
            self.custom_op(must_show)
        elif form == 5:
            self.for_op()
        elif form == 6:
            self.if_op()
        else:
            self.function()

    def regions_left(self) -> bool:
        return self.depth < 6 and self.budget > 0

    def expect(self, name: str, names: list[tuple[str, int]], used: list[tuple[str, str]],
               values: list[tuple[str, str]],
               generic: bool = True) -> None:  # fmt: skip
        self.ops.append(
            Expected(name, tuple(names), tuple(u[0] for u in used), self.depth, tuple(v[1] for v in values), generic)
        )

    def generic_op(self) -> None:
        names, values = self.results()
        name, used = self.name(), self.operands()
        self.expect(name, names, used, values)
        self.put(f'"{name}"(')
        self.commas([value for value, _ in used])
        self.put(")")
        if not self.generic_only and self.chance(20):
            self.put(" <{", self.entries(), "}>")
        if self.regions_left() and self.chance(35):
            self.gap()
            self.put("(")
            for number in range(1 + self.rng.randrange(2)):
                if number:
                    self.put(",")
                    self.gap()
                self.region(0)
            self.put(")")
        self.attributes()
        self.put(" :")
        self.gap()
        self.put("(")
        self.commas([text for _, text in used])
        self.put(")")
        self.gap()
        self.put("->")
        self.gap()
        if len(values) == 1 and not values[0][1].startswith("("):
            self.put(values[0][1])
        else:
            self.put("(")
            self.commas([text for _, text in values])
            self.put(")")
        self.location()
        self.visible += values

    def custom_op(self, must_show: bool = False) -> None:
        names, values = self.results()
        name, used = self.name(), self.operands()
        self.expect(name, names, used, values, generic=False)
        self.put(name)
        if self.chance(20):
            self.put(" <", self.rng.choice(("NORM", "b8", "part_even")), ">")
        if used:
            self.gap()
            self.put(used[0][0])
            if len(used) > 1 and self.chance(50):
                self.put("[")
                self.commas([value for value, _ in used[1:]])
                self.put("]")
            elif len(used) > 1:
                self.put(",")
                self.gap()
                self.commas([value for value, _ in used[1:]])
        if self.regions_left() and self.chance(25):
            self.attributes(30)
            self.put(" -> (" if values else "")
            self.commas([text for _, text in values])
            self.put(")" if values else "")
            self.gap()
            self.region(1, must_show=True)
            if self.chance(20):
                self.put(" {dl.unit}")
        else:
            self.attributes()
            if used or values or must_show:
                self.put(" :")
                self.gap()
                self.put("(")
                self.commas([text for _, text in used])
                self.put(") ->")
                self.gap()
                self.put("(")
                self.commas([text for _, text in values])
                self.put(")")
        self.location()
        self.visible += values

    def branch_op(self, label: str) -> None:
        used = self.operands(3)
        self.expect("test.branch", [], used, [], generic=False)
        self.put(f"test.branch {label}")
        if used:
            self.put("(")
            self.commas([value for value, _ in used])
            self.put(" : ")
            self.commas([text for _, text in used])
            self.put(")")
        if self.chance(50):
            self.put(",")
            self.gap()
            self.put(label)

    def for_op(self) -> None:
        """A custom `scf.for` with one carried value, if there are values of that kind."""
        indices = [value for value in self.visible if value[1] == "index"]
        inits = [value for value in self.visible if not value[1].startswith("!")]
        if not indices or not inits or not self.regions_left():
            self.generic_op()
            return
        bounds = [self.rng.choice(indices) for _ in range(3)]
        init = self.rng.choice(inits)
        result, induction, carried = self.fresh(), self.fresh(), self.fresh()
        self.expect("scf.for", [(result, 1)], [*bounds, init], [("", init[1])], generic=False)
        (lower, _), (upper, _), (step, _) = bounds
        self.put(f"{result} = scf.for {induction} = {lower} to {upper}")
        self.gap()
        self.put(f"step {step} iter_args({carried} = {init[0]}) -> ({init[1]})")
        self.gap()
        arguments = [(induction, "index"), (carried, init[1])]
        self.braces([*self.visible, *arguments], f"scf.yield {carried} : {init[1]}", (carried, init[1]))
        self.attributes(20)
        self.visible.append((result, init[1]))

    def if_op(self) -> None:
        conditions = [value for value in self.visible if value[1] == "i1"]
        if not conditions or not self.regions_left():
            self.generic_op()
            return
        condition = self.rng.choice(conditions)
        result = self.fresh()
        self.expect("scf.if", [(result, 1)], [condition], [("", "i1")], generic=False)
        self.put(f"{result} = scf.if {condition[0]} -> (i1) ")
        self.braces(self.visible, f"scf.yield {condition[0]} : i1", condition)
        self.put(" else ")
        self.braces(self.visible, f"scf.yield {condition[0]} : i1", condition)
        self.visible.append((result, "i1"))

    def function(self) -> None:
        arguments = [(self.fresh(), self.type()) for _ in range(self.rng.randrange(4))]
        self.expect("func.func", [], [], [], generic=False)
        self.put(f"func.func @f{self.counter}(")
        self.counter += 1
        self.commas([f"{name}: {text}" for name, text in arguments])
        self.put(")")
        if self.chance(30):
            self.put(" attributes {", self.entries(), "}")
        self.gap()
        self.braces(arguments, "return", None)

    def braces(self, visible: list[tuple[str, str]], ending: str, used: tuple[str, str] | None) -> None:
        """A region of one block that ends in the given operation."""
        outer, self.visible = self.visible, list(visible)
        self.put("{")
        self.depth += 1
        for _ in range(self.rng.randrange(3)):
            self.line()
            self.op("", must_show=True)
        self.line()
        self.expect(ending.split()[0], [], [used] if used else [], [], generic=False)
        self.put(ending)
        self.depth -= 1
        self.line()
        self.put("}")
        self.visible = outer

    def region(self, least: int, must_show: bool = False) -> None:
        """A region of one or several blocks."""
        outer, self.visible = self.visible, list(self.visible)
        self.put("{")
        self.depth += 1
        blocks = 1 if self.chance(70) else 2 + self.rng.randrange(2)
        first = self.labels
        self.labels += blocks
        for number in range(blocks):
            if blocks > 1 or self.chance(20):
                self.line()
                self.block_label(f"^bb{first + number}")
            for position in range(max(least, self.rng.randrange(4))):
                self.line()
                self.op(f"^bb{first}" if blocks > 1 else "", must_show=must_show and position == 0)
            if self.generic_only and blocks > 1 and number + 1 < blocks:
                self.line()
                self.ops.append(Expected("test.next", (), (), self.depth))
                self.put(f'"test.next"() [^bb{first + number + 1}] : () -> ()')
        self.depth -= 1
        self.line()
        self.put("}")
        self.visible = outer

    def block_label(self, label: str) -> None:
        arguments = [(self.fresh(), self.type()) for _ in range(self.rng.randrange(3))]
        self.put(label)
        if arguments:
            self.put("(")
            self.commas([f"{name}: {text}" for name, text in arguments])
            self.put(")")
        self.put(":")
        self.visible += arguments
