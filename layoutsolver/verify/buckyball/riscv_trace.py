"""Assembly -> the text of traces: integer registers as unsigned numbers, floats as their bits."""

from __future__ import annotations

from layoutsolver.buckyball.assembly import FLOAT_REGISTERS, REGISTERS, Assembly, AssemblyLine
from layoutsolver.verify.buckyball.raw import MASK
from layoutsolver.verify.buckyball.traces import LONGEST, TraceText, known
from layoutsolver_models.buckyball.encoding import FUNCT3, OPCODE
from layoutsolver_models.hardware.buckyball.dram import BASE

_LOADS = {"lb": 1, "lbu": 1, "lh": 2, "lhu": 2, "lw": 4, "lwu": 4, "ld": 8, "flw": 4, "fld": 8}
_STORES = {"sb": 1, "sh": 2, "sw": 4, "sd": 8, "fsw": 4, "fsd": 8}

_SIGN = 1 << 63

_UNARY = {
    "mv": "{a}", "neg": f"-{{a}} & {MASK}", "sext.w": "signed({a}, 32) & MASK", "seqz": "0 if {a} else 1",
    "snez": "1 if {a} else 0",
}  # fmt: skip
_BINARY = {
    "and": "{a} & {b}", "or": "{a} | {b}", "xor": "{a} ^ {b}", "sll": f"({{a}} << ({{b}} & 63)) & {MASK}",
    "srl": "{a} >> ({b} & 63)", "sra": "(signed({a}) >> ({b} & 63)) & MASK",
    "slt": f"1 if ({{a}} < {{b}} if ({{a}} | {{b}}) < {_SIGN} else {{a}} ^ {_SIGN} < {{b}} ^ {_SIGN}) else 0",
    "sltu": "1 if {a} < {b} else 0",
    **{name: f"divided({name!r}, {{a}}, {{b}})" for name in ("div", "rem", "divu", "remu")},
}  # fmt: skip
_WRAPPED = {"add": "+", "sub": "-", "mul": "*"}
_IMMEDIATE = {"addi": "add", "andi": "and", "ori": "or", "xori": "xor", "slli": "sll", "srli": "srl", "srai": "sra",
              "slti": "slt", "sltiu": "sltu"}  # fmt: skip
_SIZES = {"s": 4, "d": 8, "w": 4, "x": 8}
_ARITHMETIC = ("fadd", "fsub", "fmul", "fdiv")


def trace_text(assembly: Assembly, start: int) -> str:
    """The function of the code from an instruction on: registers `x` and `f` in, the next instruction out."""
    return _Trace(assembly, start).text()


class _Trace(TraceText):
    """Registers are read into names when they are used first, and written back where the trace is left."""

    def __init__(self, assembly: Assembly, start: int) -> None:
        super().__init__()
        self.assembly = assembly
        self.at = start
        self.count = 0
        self.have: set[str] = set()
        self.changed: set[str] = set()
        self.frame = 0

    def text(self) -> str:
        lines, visited = self.assembly.lines, set[int]()
        going = True
        while going:
            if self.at >= len(lines) or self.at in visited or self.count == LONGEST:
                self.leave(str(self.at))
                break
            visited.add(self.at)
            line = lines[self.at]
            self.line, self.count, self.at = line.line, self.count + 1, self.at + 1
            try:
                going = self.step(line)
            except (KeyError, ValueError, IndexError):
                self.fail(f"`{line.name} {', '.join(line.operands)}`")
                going = False
        return self.function("x, f", self.head())

    def head(self) -> list[str]:
        """Where the frame lies in memory, and whether all that the trace touches of it does."""
        if not self.frame:
            return []
        base = f"base = x[2] - {BASE}"
        return [base, f"near = 0 <= base < end - {self.frame} and not base & 7",
                *(f"b{size} = base >> {size.bit_length() - 1}" for size in (1, 2, 4, 8))]  # fmt: skip

    def load_near(self, target: str, address: str, offset: int, size: int) -> None:
        """Read an unsigned number of the frame."""
        self.place()
        at = f"b{size} + {offset // size}"
        self.add(f"if near and k{size}[{at}] == {known(size)} and not flying:")
        self.add(f"    {target} = d{size}[{at}]")
        self.add("else:")
        self.add(f"    {target} = load({address}, {size})")

    def store_near(self, value: str, address: str, offset: int, size: int) -> None:
        """Write an unsigned number of the frame."""
        self.place()
        at = f"b{size} + {offset // size}"
        self.add("if near and not flying:")
        self.add(f"    d{size}[{at}] = {value}")
        self.add(f"    k{size}[{at}] = {known(size)}")
        self.add("else:")
        self.add(f"    store({address}, {size}, {value})")

    def leave(self, to: str, indent: str = "") -> None:
        """Go on at another instruction."""
        for name in sorted(self.changed):
            self.add(f"{indent}{name[0]}[{name[1:]}] = {name}")
        self.add(f"{indent}processor.steps += {self.count}")
        self.add(f"{indent}return {to}")

    # -- registers --------------------------------------------------------------------------------------------

    def get(self, name: str) -> str:
        """An integer register."""
        number = REGISTERS[name]
        return self.read(f"x{number}") if number else "0"

    def float(self, name: str) -> str:
        """A float register."""
        return self.read(f"f{FLOAT_REGISTERS[name]}")

    def read(self, name: str) -> str:
        if name not in self.have:
            self.have.add(name)
            self.add(f"{name} = {name[0]}[{name[1:]}]")
        return name

    def target(self, name: str, floats: bool = False) -> str:
        """The name to which what an instruction results in is assigned."""
        number = FLOAT_REGISTERS[name] if floats else REGISTERS[name]
        found = f"{'f' if floats else 'x'}{number}"
        if found == "x0":
            return "_"
        self.have.add(found)
        self.changed.add(found)
        return found

    def put(self, name: str, value: str) -> None:
        """Set an integer register."""
        self.add(f"{self.target(name)} = {value}")

    # -- instructions -----------------------------------------------------------------------------------------

    def step(self, line: AssemblyLine) -> bool:
        """Translate an instruction; whether the trace goes on behind it."""
        name, operands = line.name, line.operands
        if name in ("j", "call", "ret", "bnez", "beqz"):
            return self.jump(name, operands)
        if name == ".insn r":
            self.custom(operands)
        elif name in _LOADS or name in _STORES:
            self.access(name, operands)
        elif "." in name and name != "sext.w":
            self.floats(name, operands)
        else:
            self.integers(name, operands)
        return True

    def jump(self, name: str, operands: tuple[str, ...]) -> bool:
        labels = self.assembly.labels
        if name == "ret":
            self.leave(f"signed({self.get('ra')})")
            return False
        if name == "j":
            self.at = labels[operands[0]]
            return True
        if name == "call":
            self.call(operands[0])
            return False
        condition = self.get(operands[0])
        self.add(f"if {'' if name == 'bnez' else 'not '}{condition}:")
        self.leave(str(labels[operands[1]]), "    ")
        return True

    def call(self, symbol: str) -> None:
        """Run a call: of the library, behind which memory may have grown, or of a function of the text."""
        self.place()
        if symbol == "malloc":
            self.add(f"{self.target('a0')} = processor.allocate({self.get('a0')})")
            self.leave(str(self.at))
        elif symbol == "free":
            self.add(f"processor.free({self.get('a0')})")
            self.leave(str(self.at))
        else:
            to = self.assembly.labels[symbol]
            self.put("ra", str(self.at))
            self.leave(str(to))

    def custom(self, operands: tuple[str, ...]) -> None:
        opcode, funct3, funct7 = (int(one, 0) for one in operands[:3])
        destination, left, right = operands[3:]
        if (opcode, funct3, REGISTERS[destination]) != (OPCODE, FUNCT3, 0):
            self.fail(f"an instruction with opcode {opcode:#x}")
            return
        first, second = self.get(left), self.get(right)
        self.place()
        self.add(f"issue({funct7}, {first}, {second})")

    def access(self, name: str, operands: tuple[str, ...]) -> None:
        text, _, base = operands[1].rstrip(")").partition("(")
        offset, pointer = int(text, 0), self.get(base)
        address = pointer if offset == 0 else f"(({pointer} + {offset}) & {MASK})"
        floats = name.startswith("f")
        size = _STORES[name] if name in _STORES else _LOADS[name]
        near = pointer == "x2" and "x2" not in self.changed and offset >= 0 and offset % size == 0
        if near:
            self.frame = max(self.frame, offset + 8)
        if name in _STORES:
            value = self.float(operands[0]) if floats else self.get(operands[0])
            value = value if size == 8 else f"{value} & {(1 << 8 * size) - 1}"
            if near:
                self.store_near(value, address, offset, size)
            else:
                self.store(value, address, size)
            return
        target = self.target(operands[0], floats)
        if near:
            self.load_near(target, address, offset, size)
        else:
            self.load(target, address, size)
        if size < 8 and not floats and not name.endswith("u"):
            sign = 1 << (8 * size - 1)
            self.add(f"if {target} & {sign}:")
            self.add(f"    {target} |= {MASK - 2 * sign + 1}")

    def integers(self, name: str, operands: tuple[str, ...]) -> None:
        if name == "li":
            self.put(operands[0], str(int(operands[1], 0) & MASK))
            return
        first = self.get(operands[1])
        if name in _UNARY:
            self.put(operands[0], _UNARY[name].format(a=first))
            return
        if name in _IMMEDIATE:
            number = int(operands[2], 0)
            if name == "addi":
                self.wrapped(operands[0], f"{first} {'-' if number < 0 else '+'} {abs(number)}")
            else:
                self.put(operands[0], _BINARY[_IMMEDIATE[name]].format(a=first, b=number & MASK))
            return
        second = self.get(operands[2])
        if name in _WRAPPED:
            self.wrapped(operands[0], f"{first} {_WRAPPED[name]} {second}")
        else:
            self.put(operands[0], _BINARY[name].format(a=first, b=second))

    def wrapped(self, name: str, value: str) -> None:
        """Set an integer register to a number cut to 64 bits."""
        target = self.target(name)
        self.add(f"{target} = {value}")
        self.add(f"if not 0 <= {target} <= {MASK}:")
        self.add(f"    {target} &= {MASK}")

    def floats(self, name: str, operands: tuple[str, ...]) -> None:
        parts = name.split(".")
        if parts[0] == "fmv" and len(parts) == 3:
            self.between(parts, operands)
        elif parts[0] == "fcvt":
            self.convert(parts, operands)
        else:
            self.compute(parts[0], _SIZES[parts[1]], operands)

    def between(self, parts: list[str], operands: tuple[str, ...]) -> None:
        """Move bits between integer and float registers."""
        if parts[1] == "x":
            value = self.float(operands[1])
            self.put(operands[0], f"signed({value}, 32) & MASK" if parts[2] == "w" else value)
        else:
            value = self.get(operands[1])
            size = _SIZES[parts[1]]
            self.add(f"{self.target(operands[0], floats=True)} = {value} & {(1 << 8 * size) - 1}")

    def convert(self, parts: list[str], operands: tuple[str, ...]) -> None:
        """Convert between integers and floats."""
        self.place()
        if parts[2] == "l":
            value = self.get(operands[1])
            self.add(f"{self.target(operands[0], floats=True)} = bits_of(signed({value}), {_SIZES[parts[1]]})")
        elif parts[1] == "l":
            value = self.float(operands[1])
            self.put(operands[0], f"whole({value}, {_SIZES[parts[2]]}) & MASK")
        else:
            raise KeyError(".".join(parts))

    def compute(self, name: str, size: int, operands: tuple[str, ...]) -> None:
        first = self.float(operands[1])
        if name in ("feq", "flt", "fle"):
            second = self.float(operands[2])
            self.relation(self.target(operands[0]), name[1:], first, second, size)
            return
        if name in ("fabs", "fneg", "fmv"):
            sign = 1 << (8 * size - 1)
            value = {"fabs": f"{first} & {sign - 1}", "fneg": f"{first} ^ {sign}", "fmv": first}[name]
            self.add(f"{self.target(operands[0], floats=True)} = {value}")
            return
        second = self.float(operands[2])
        target = self.target(operands[0], floats=True)
        if name in ("fmax", "fmin"):
            self.larger(target, name, first, second, size)
        elif name in _ARITHMETIC:
            self.add(f"{target} = binary({name!r}, {first}, {second}, {size})")
        else:
            raise KeyError(name)
