from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.diagnostics.inspection.folding import MOST_BOXES, Box, first_unfolded, fold, modules_of
from engine.inspection.results import StageGraph
from tests.app.inspection_fakes import GRAPH, graph_of, kernel

MODULES = modules_of(GRAPH)


@st.composite
def graphs(draw: st.DrawFn) -> StageGraph:
    paths = draw(st.lists(st.sampled_from(["", "a", "a.b", "a.b.c", "a.d", "e", "e.f.g"]), min_size=1, max_size=14))
    kernels = [kernel(str(number), path) for number, path in enumerate(paths)]
    numbers = st.integers(0, len(paths) - 1)
    pairs = draw(st.lists(st.tuples(numbers, numbers), max_size=20))
    return graph_of(kernels, [(str(min(pair)), str(max(pair))) for pair in pairs if pair[0] != pair[1]])


def test_a_module_with_the_nodes_of_another_is_the_inner_one() -> None:
    assert set(MODULES.members) == {"predictor", "predictor.F0.0", "predictor.N.0"}


def test_a_kernel_without_a_module_is_in_the_one_that_its_neighbours_share() -> None:
    assert MODULES.members["predictor.F0.0"] == ("a1", "a2", "a3")
    assert MODULES.around["a2"] == ("predictor", "predictor.F0.0")


def test_inputs_and_outputs_are_in_no_module() -> None:
    assert "in" not in MODULES.around
    assert fold(GRAPH, MODULES, ()).boxes == (
        Box(("in",)),
        Box(("a1", "a2", "a3", "m", "b1", "b2"), "predictor"),
        Box(("out",)),
    )


def test_unfolding_shows_what_is_inside_and_its_edges_once() -> None:
    folded = fold(GRAPH, MODULES, {"predictor"})
    assert [box.nodes for box in folded.boxes] == [("in",), ("a1", "a2", "a3"), ("m",), ("b1", "b2"), ("out",)]
    assert folded.edges == ((0, 1), (1, 2), (2, 3), (3, 4))
    assert folded.box_of("a2") == 1
    assert folded.box_of("nowhere") is None


def test_an_inner_module_stays_hidden_in_a_folded_one() -> None:
    assert fold(GRAPH, MODULES, {"predictor.F0.0"}) == fold(GRAPH, MODULES, ())


def test_a_small_graph_is_unfolded_at_first() -> None:
    assert first_unfolded(GRAPH, MODULES, ()) == set(MODULES.members)


def test_a_large_graph_is_unfolded_around_what_is_to_be_shown() -> None:
    kernels = [kernel(f"{module}-{number}", f"m.{module}.{number}") for module in range(60) for number in range(4)]
    graph = graph_of(kernels, ())
    modules = modules_of(graph)
    assert len(fold(graph, modules, first_unfolded(graph, modules, ())).boxes) <= MOST_BOXES
    shown = fold(graph, modules, first_unfolded(graph, modules, ("37-2",)))
    assert Box(("37-2",)) in shown.boxes


@given(graphs())
def test_every_node_is_in_one_box_however_it_is_folded(graph: StageGraph) -> None:
    modules = modules_of(graph)
    for unfolded in ((), tuple(modules.members), tuple(modules.members)[::2], first_unfolded(graph, modules, ())):
        folded = fold(graph, modules, unfolded)
        nodes = [node for box in folded.boxes for node in box.nodes]
        assert sorted(nodes) == sorted(node.id for node in graph.nodes)
        assert all(source != target for source, target in folded.edges)
        assert len(set(folded.edges)) == len(folded.edges)


@given(graphs())
def test_unfolding_everything_shows_the_graph_itself(graph: StageGraph) -> None:
    modules = modules_of(graph)
    folded = fold(graph, modules, modules.members)
    assert [box.nodes for box in folded.boxes] == [(node.id,) for node in graph.nodes]
    pairs = {(edge.source, edge.target) for edge in graph.edges}
    assert {(folded.boxes[a].nodes[0], folded.boxes[b].nodes[0]) for a, b in folded.edges} == pairs


@given(graphs())
def test_the_first_picture_is_small_or_has_nothing_to_fold(graph: StageGraph) -> None:
    many = replace(graph, nodes=tuple(replace(node, id=f"{node.id}{copy}") for copy in "abcd" for node in graph.nodes))
    many = replace(many, edges=())
    modules = modules_of(many)
    first = fold(many, modules, first_unfolded(many, modules, ()))
    assert len(first.boxes) <= max(MOST_BOXES, len(fold(many, modules, ()).boxes))
