"""The closed form of meeting iterations against enumeration."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from layoutsolver.fusion.distance import Window, meeting

WINDOWS = st.builds(
    Window,
    st.integers(-40, 40),
    st.integers(-9, 9),
    st.integers(1, 12),
    st.integers(-9, 9),
    st.integers(1, 12),
)


def meets(window: Window, later: int, earlier: int) -> bool:
    """Whether iteration `later` of a and `earlier` of b have a byte in common."""
    a = window.stride_a * later
    b = window.offset + window.stride_b * earlier
    return a < b + window.span_b and b < a + window.span_a


def by_enumeration(window: Window, count: int) -> bool:
    return any(meets(window, t, u) for t in range(count) for u in range(t))


@given(WINDOWS, st.integers(0, 14))
def test_agrees_with_enumeration(window: Window, count: int) -> None:
    found = meeting(window, count)
    assert (found is not None) == by_enumeration(window, count)
    if found is not None:
        later, earlier = found
        assert 0 <= earlier < later < count
        assert meets(window, later, earlier)


@given(WINDOWS)
def test_without_a_bound_it_is_any_number_of_iterations(window: Window) -> None:
    found = meeting(window, None)
    if found is None:
        assert not by_enumeration(window, 60)
    else:
        assert found[0] > found[1] >= 0
        assert meets(window, *found)
