"""What layouts mean, in a few words each."""

from __future__ import annotations

_SLOTS = {
    "b8": "8-bit elements side by side, or a mask of such",
    "b8_2vl": "8-bit elements, each in a slot of 16 bits; a full register of them takes 2 (2vl: vector lengths)",
    "b8_4vl": "8-bit elements, each in a slot of 32 bits; a full register of them takes 4 (4vl: vector lengths)",
    "b16": "16-bit elements side by side, or a mask of such",
    "b16_2vl": "16-bit elements, each in a slot of 32 bits; a full register of them takes 2 (2vl: vector lengths)",
    "b32": "32-bit elements side by side, or a mask of such",
}
_REGISTERS = {
    "c": "elements side by side", "ls2": "elements in every second place", "ls4": "elements in every fourth place",
    "d2": "elements dealt out to two registers by turns", "d4": "elements dealt out to four registers by turns",
    "bd2": "blocks dealt out to two registers by turns", "bd4": "blocks dealt out to four registers by turns",
    "gs1": "one group in each register", "gs2": "two groups in each register", "gs4": "four groups in each register",
    "gs8": "eight groups in each register", "gs8.2": "eight groups in each register, in every second place",
    "gs8.4": "eight groups in each register, in every fourth place",
}  # fmt: skip
WORDS = {**_SLOTS, **_REGISTERS}
"""How elements lie in registers, by the names of layouts."""


def in_words(layout: str) -> str:
    """A layout with what it means.

    >>> in_words("b16 c")
    'b16 c: elements side by side'
    """
    meant = WORDS.get(layout) or WORDS.get(bare(layout), "")
    return f"{layout}: {meant}" if meant else layout


def bare(layout: str) -> str:
    """A layout of VMI without the width of the slots that a mask governs.

    >>> bare("b16 ls2"), bare("d4"), bare("b16_2vl")
    ('ls2', 'd4', 'b16_2vl')
    """
    return layout.rpartition(" ")[2]
