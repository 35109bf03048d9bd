import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.diagnostics.inspection.layout import Drawing, Layout, drawing_from, lay_out, layout_from

DIAMOND = Drawing(((100, 40),) * 4, ((0, 1), (0, 2), (1, 3), (2, 3)))


@st.composite
def drawings(draw: st.DrawFn) -> Drawing:
    """Any graph without cycles, which is what a computation is."""
    sizes = draw(st.lists(st.tuples(st.integers(1, 300), st.integers(1, 80)), min_size=1, max_size=20))
    numbers = st.integers(0, len(sizes) - 1)
    pairs = draw(st.lists(st.tuples(numbers, numbers), max_size=40))
    return Drawing(
        tuple((float(width), float(height)) for width, height in sizes),
        tuple((min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]),
    )


def overlap(drawing: Drawing, layout: Layout, one: int, other: int) -> bool:
    return all(
        abs(layout.centres[one][axis] - layout.centres[other][axis])
        < (drawing.sizes[one][axis] + drawing.sizes[other][axis]) / 2 - 1e-6
        for axis in (0, 1)
    )


@given(drawings())
def test_boxes_do_not_overlap_and_what_is_computed_later_is_lower(drawing: Drawing) -> None:
    layout = lay_out(drawing)
    count = len(drawing.sizes)
    assert len(layout.centres) == count
    assert not any(overlap(drawing, layout, one, other) for one in range(count) for other in range(one))
    for source, target in drawing.edges:
        assert layout.centres[source][1] < layout.centres[target][1]


@given(drawings())
def test_everything_lies_in_the_picture(drawing: Drawing) -> None:
    layout = lay_out(drawing)
    for (width, height), (x, y) in zip(drawing.sizes, layout.centres, strict=True):
        assert x - width / 2 >= -1e-6
        assert x + width / 2 <= layout.width + 1e-6
        assert y - height / 2 >= -1e-6
        assert y + height / 2 <= layout.height + 1e-6


def test_a_route_leads_from_the_lower_edge_of_one_box_to_the_upper_edge_of_the_other() -> None:
    layout = lay_out(DIAMOND)
    for (source, target), route in zip(DIAMOND.edges, layout.routes, strict=True):
        assert route[0][1] == layout.centres[source][1] + 20
        assert route[-1][1] == layout.centres[target][1] - 20


def test_the_same_graph_gives_the_same_picture() -> None:
    assert lay_out(DIAMOND) == lay_out(DIAMOND)


def test_no_graph_is_an_empty_picture() -> None:
    assert lay_out(Drawing((), ())) == Layout((), (), 0.0, 0.0)


def test_an_edge_without_a_box_is_refused() -> None:
    with pytest.raises(ValueError, match="no node 7"):
        lay_out(Drawing(((10, 10),), ((0, 7),)))


def test_drawing_and_layout_survive_json() -> None:
    assert drawing_from(json.loads(json.dumps(DIAMOND.plain()))) == DIAMOND
    layout = lay_out(DIAMOND)
    assert layout_from(json.loads(json.dumps(layout.plain()))) == layout
