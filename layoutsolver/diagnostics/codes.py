"""The codes of all messages, and the page of each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Code:
    """A code with its one-line meaning; its page is `pages/CODE.md`."""

    code: str
    title: str


CODES: dict[str, Code] = {
    code.code: code
    for code in (
        Code("LS0001", "the input cannot be read as text"),
        Code("LS0002", "the input is empty"),
        Code("LS0003", "a bracket, brace or region is never closed"),
        Code("LS0004", "an unexpected token"),
        Code("LS0005", "an operation ends too early"),
        Code("LS0006", "regions are nested too deeply"),
        Code("LS0007", "a string is never closed"),
        Code("LS0008", "the input is too large"),
        Code("LS0101", "no layout satisfies everything that touches a value"),
        Code("LS0103", "the analyzer would stop, though the layouts can be solved"),
        Code("LS0104", "the chosen layouts do not hold the elements of a vector"),
        Code("LS0105", "the program was repaired"),
        Code("LS0106", "the released analyzer finds no layouts"),
        Code("LS0107", "an operation does not do what it means under the chosen layouts"),
        Code("LS0201", "a value is used but not defined"),
        Code("LS0202", "a value is defined twice"),
        Code("LS0203", "a value has another type than its use says"),
        Code("LS0205", "a number of operands, results or arguments does not match"),
        Code("LS0206", "an enumerator that does not exist"),
        Code("LS0207", "an attribute that the operation does not have"),
        Code("LS0208", "an operation that its dialect does not have"),
        Code("LS0209", "an operation that its dialect's verifier refuses"),
        Code("LS0210", "a loop whose step is not above 0"),
        Code("LS0301", "an operation on vectors has no layout rule"),
        Code("LS0302", "an operation has no layout rule for this element width or mode"),
        Code("LS0303", "an operation on vectors was not lowered and is taken lane by lane"),
        Code("LS0304", "a vector has more elements than a register holds"),
        Code("LS0305", "a vector of more than one dimension"),
        Code("LS0306", "an element type that the hardware does not have"),
        Code("LS0307", "nothing was decided"),
        Code("LS0308", "a device that is not known"),
        Code("LS0309", "a target whose layouts are not decided"),
        Code("LS0310", "memory that vector operations do not reach"),
        Code("LS0401", "a time limit was reached before an answer was found"),
        Code("LS0402", "a limit was reached: the answer is not proved the best"),
        Code("LS0403", "the solutions are too entangled to be counted"),
        Code("LS0404", "a limit to memory was reached"),
        Code("LS0501", "a JSON document does not follow its schema"),
        Code("LS0601", "an operation has no intrinsic"),
        Code("LS0602", "an operation has no intrinsic for this type or mode"),
        Code("LS0603", "an operand must be a constant to be lowered"),
        Code("LS0604", "a memref whose elements the intrinsics do not reach"),
        Code("LS0605", "an operation is lowered as the released compiler does it, which may not be what is meant"),
        Code("LS0606", "the released compiler's intrinsics do something else than the operation"),
        Code("LS0607", "an operation cannot be written as VPTO"),
        Code("LS0608", "a vector is used after an operation that ends its vector scope"),
        Code("LS0609", "a file states layouts that contradict each other, so it cannot be lowered"),
        Code("LS0701", "a program leaves other memory with its layouts than without"),
        Code("LS0702", "an access that the hardware refuses"),
        Code("LS0703", "an operation that the hardware model cannot run"),
        Code("LS0704", "programs that cannot be compared"),
        Code("LS0705", "a file does not say how a vector lies"),
        Code("LS0706", "functionTypes and layouts that do not go together"),
        Code("LS0707", "a program leaves other memory than the one it was made of"),
        Code("LS0708", "an operation whose meaning is not known is taken for a function"),
        Code("LS0801", "an operation that VMI does not permit"),
        Code("LS0802", "no layout serves an operation"),
        Code("LS0803", "the released compiler refuses a program of VMI"),
        Code("LS0804", "layouts of the released compiler are no choice of the rules"),
        Code("LS0805", "the layouts of a VMI program contradict each other"),
        Code("LS0806", "a hint that is no wish for a layout"),
        Code("LS0807", "a layout attribute that is none, or that a type cannot have"),
        Code("LS0808", "layouts that a file states fit no rule of an operation"),
        Code("LS0809", "what a fixed or preferred layout costs"),
        Code("LS0810", "more registers are live than there are"),
        Code("LS0811", "no layouts keep within the registers"),
        Code("LS0901", "two fusion regions stay apart"),
        Code("LS0902", "a program without fusion regions"),
        Code("LS0903", "two loops stay apart"),
        Code("LS0904", "a store stays"),
        Code("LS0905", "the first version of the compiler's fusion makes no program of it"),
        Code("LS0906", "tile operations that are not planned"),
        Code("LS0907", "a fusion region that is not well formed"),
        Code("LS1001", "an operation that is not known on the way to Buckyball's banks"),
        Code("LS1002", "shapes that an operation on tiles or banks does not take"),
        Code("LS1003", "an operation that is not lowered"),
        Code("LS1004", "a chip lacks the unit that an operation needs"),
        Code("LS1005", "banks that cannot be numbered as they are"),
        Code("LS1006", "something that the hardware refuses or does not define"),
        Code("LS1008", "a result that is overwritten instead of added to"),
        Code("LS1009", "a program that does not stand at a stage"),
        Code("LS1010", "LLVM text or assembly that is not read"),
        Code("LS1020", "a table of buffers that cannot be read"),
        Code("LS1021", "more is live at once than the memory holds"),
        Code("LS1022", "no placement fits into the memory"),
        Code("LS1023", "a time limit was reached before a placement was found"),
        Code("LS1024", "two buffers have the same bytes at the same time"),
        Code("LS1025", "a buffer is not where it may be"),
        Code("LS1030", "a program needs more banks than there are"),
        Code("LS1031", "a limit was reached before banks were placed"),
        Code("LS1032", "banks that are not allocated and released as they must be"),
    )
}
"""Every code that a message can carry."""


def page(code: str) -> str | None:
    """The text of a code's page, None if there is no such code.

    >>> page("LS0201").splitlines()[0]
    '# LS0201: a value is used but not defined'
    """
    known = CODES.get(code.upper())
    if known is None:
        return None
    path = Path(__file__).with_name("pages") / f"{known.code}.md"
    return f"# {known.code}: {known.title}\n\n{path.read_text(encoding='utf-8')}"
