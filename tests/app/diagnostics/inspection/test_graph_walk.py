from hypothesis import given
from hypothesis import strategies as st

from app.diagnostics.inspection.folding import Box, FoldedGraph
from app.diagnostics.inspection.graph_walk import Direction, neighbour
from app.diagnostics.inspection.layout import Drawing, Layout, lay_out

EDGES = ((0, 1), (0, 2), (1, 3), (2, 3), (2, 4))
FOLDED = FoldedGraph(tuple(Box((str(number),)) for number in range(5)), EDGES)
LAYOUT = Layout(((50, 0), (0, 50), (100, 50), (40, 100), (110, 100)), ((),) * 5, 120.0, 120.0)


def test_down_goes_along_an_edge_to_the_nearest() -> None:
    assert neighbour(FOLDED, LAYOUT, 2, Direction.TO_TARGETS) == 4
    assert neighbour(FOLDED, LAYOUT, 1, Direction.TO_TARGETS) == 3
    assert neighbour(FOLDED, LAYOUT, 3, Direction.TO_TARGETS) is None


def test_up_goes_back_along_an_edge() -> None:
    assert neighbour(FOLDED, LAYOUT, 3, Direction.TO_SOURCES) == 1
    assert neighbour(FOLDED, LAYOUT, 0, Direction.TO_SOURCES) is None


def test_aside_prefers_what_stands_at_the_same_height() -> None:
    assert neighbour(FOLDED, LAYOUT, 1, Direction.RIGHT) == 2
    assert neighbour(FOLDED, LAYOUT, 4, Direction.LEFT) == 3
    assert neighbour(FOLDED, LAYOUT, 1, Direction.LEFT) is None


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20))
def test_the_arrow_keys_lead_back(pairs: list[tuple[int, int]]) -> None:
    """Up and down follow edges, and whoever went aside can go aside back, if not to the same box."""
    edges = tuple(dict.fromkeys((min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]))
    folded = FoldedGraph(tuple(Box((str(number),)) for number in range(8)), edges)
    layout = lay_out(Drawing(((100.0, 40.0),) * 8, edges))
    back = {Direction.TO_TARGETS: Direction.TO_SOURCES, Direction.LEFT: Direction.RIGHT}
    for number in range(8):
        for there, home in (*back.items(), *((home, there) for there, home in back.items())):
            reached = neighbour(folded, layout, number, there)
            assert reached is None or neighbour(folded, layout, reached, home) is not None
