from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QBrush, QColor, QTextCursor
from pytestqt.qtbot import QtBot

from app.diagnostics.kernels import kernel_details
from app.diagnostics.kernels.inspection import Inspection
from app.diagnostics.kernels.kernel_details import (
    CHOOSE,
    NO_CODE,
    NO_SOURCE,
    NOT_HERE,
    TIR,
    KernelDetails,
    ReplaceButton,
    SourceView,
    known_lines,
    line_signs,
    nodes_of_line,
    source_text,
)
from app.diagnostics.kernels.kernel_list import ERROR, MODULE, TIME, TITLE, KernelList
from app.theme import DARK, Appearance, Theme, colors
from engine.validator.data.results import Replacement, Substitute
from engine.validator.inspection.results import CodeEvent, GraphEvent, KernelEvent, KernelVerdict, SourceLine
from tests.app.inspection_fakes import CODES, FILE, FINDING, GRAPH, INPUT, STAGE, inspected, kernel, measurement

KNOWN = inspected().stage(STAGE)


@pytest.fixture
def details(qtbot: QtBot) -> KernelDetails:
    details = KernelDetails()
    qtbot.addWidget(details)
    return details


def test_everything_about_a_node(details: KernelDetails) -> None:
    assert details.figures.accessibleDescription() == CHOOSE
    for node, has_finding, can_be_replaced in (("b1", True, True), ("m", False, True), ("in", False, False)):
        details.show_node(STAGE, KNOWN, KNOWN.node(node))
        assert (FINDING.words in details.figures.accessibleDescription()) is has_finding
        assert details.source.replace.plain_loops.isEnabled() is can_be_replaced


def test_numbers_that_come_in_are_shown(details: KernelDetails) -> None:
    inspection = inspected(measurement("a1"), finished=False)
    known = inspection.stage(STAGE)
    details.show_node(STAGE, known, known.node("m"))
    assert "Time per call" not in details.figures.label.text()
    inspection.handle_event(KernelEvent(measurement("m")))
    details.refresh()
    assert "250 µs" in details.figures.label.text()


def test_inputs_and_readers_of_a_node_are_links(details: KernelDetails, qtbot: QtBot) -> None:
    details.show_node(STAGE, KNOWN, KNOWN.node("b1"))
    assert {"href='m'", "href='b2'"} <= set(details.figures.label.text().split())
    for choose in (details.figures.label.linkActivated, details.source.node_chosen):
        with qtbot.waitSignal(details.node_chosen) as chosen:
            choose.emit("m")
        assert chosen.args == ["m"]


A, B = kernel("a"), kernel("b")
A_PLAIN = Replacement(STAGE, "a", Substitute.PLAIN_LOOPS)
A_TORCH = Replacement(STAGE, "a", Substitute.PYTORCH)
B_TORCH = Replacement(STAGE, "b", Substitute.PYTORCH)
WHOLE = Replacement(STAGE, None, Substitute.PYTORCH)


def shown(qtbot: QtBot, node: str) -> tuple[SourceView, list[str]]:
    view, chosen = SourceView(), []
    qtbot.addWidget(view)
    view.node_chosen.connect(chosen.append)
    view.resize(500, 300)
    view.show()
    view.show_node(STAGE, KNOWN, KNOWN.node(node))
    return view, chosen


def put_cursor(view: SourceView, line: int) -> None:
    view.text.setTextCursor(QTextCursor(view.text.document().findBlockByNumber(line - 1)))


def test_the_file_is_shown_at_the_line_with_its_neighbors(qtbot: QtBot) -> None:
    view, chosen = shown(qtbot, "m")
    text = source_text(FILE)
    assert view.line == 66
    lines = view.text.toPlainText().splitlines()
    assert len(lines) == len(text.splitlines())
    assert lines[65] == f"✓  66  {text.splitlines()[65]}"
    assert view.note.isHidden()
    assert chosen == []


def test_lines_are_marked_by_the_worst_kernel_they_made(qtbot: QtBot) -> None:
    known = inspected().stage(STAGE)
    assert known is not None
    assert line_signs(known, FILE) == {64: "✓", 65: "≈", 66: "✓", 67: "✗"}
    assert line_signs(known, "other.py") == {}


def test_a_line_leads_to_the_worst_node_it_made(qtbot: QtBot) -> None:
    view, chosen = shown(qtbot, "m")
    put_cursor(view, 67)
    assert chosen == ["b1"]
    assert nodes_of_line(KNOWN, FILE, 67) == ("b1", "b2")


def test_a_line_of_the_same_node_or_of_none_chooses_nothing(qtbot: QtBot) -> None:
    view, chosen = shown(qtbot, "b2")
    put_cursor(view, 1)
    put_cursor(view, 67)
    assert chosen == []


def test_a_node_without_source_says_so(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, "in")
    assert view.text.toPlainText() == ""
    assert view.note.text() == NO_SOURCE
    assert view.place.isHidden()


def test_a_file_that_is_not_here_shows_the_lines_that_are_known(qtbot: QtBot, monkeypatch) -> None:
    monkeypatch.setattr(kernel_details, "source_text", lambda file: None)
    view, _ = shown(qtbot, "m")
    assert view.note.text() == NOT_HERE.format(file=FILE)
    assert view.text.toPlainText().splitlines() == [
        "✓  64  x = conv1d(x)",
        "≈  65  x = conv1d(x)",
        "✓  66  x = lstm(x)",
        "✗  67  x = conv1d(x)",
    ]
    assert view.line == 66


def test_marks_follow_the_measurements(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, "m")
    inspection = inspected()
    known = inspection.stage(STAGE)
    view.show_node(STAGE, known, known.node("m"))
    inspection.handle_event(KernelEvent(measurement("m", KernelVerdict.WRONG)))
    view.refresh()
    assert view.text.toPlainText().splitlines()[65].startswith("✗  66")
    assert view.line == 66


def test_the_line_is_highlighted_in_the_colors_of_the_theme(qtbot: QtBot, theme: Theme) -> None:
    view, _ = shown(qtbot, "m")
    light = colors().highlight
    theme.choose(Appearance.DARK)
    [mark] = view.text.extraSelections()
    assert mark.format.background().color() == QColor(colors().highlight) != QColor(light)
    assert mark.cursor.blockNumber() == 65


def test_a_hidden_view_reads_nothing_until_it_is_seen(qtbot: QtBot, monkeypatch) -> None:
    read = []
    monkeypatch.setattr(kernel_details, "source_text", lambda file: read.append(file) or "x\n" * 99)
    view = SourceView()
    qtbot.addWidget(view)
    view.show_node(STAGE, KNOWN, KNOWN.node("m"))
    assert read == []
    view.show()
    assert read == [FILE]
    assert view.line == 66


def test_the_code_of_a_kernel_is_shown_instead_of_its_source(qtbot: QtBot) -> None:
    view, chosen = shown(qtbot, "b1")
    assert TIR in view.place.values
    view.place.activated.emit(view.place.values.index(TIR))
    view.place.choose(TIR)
    view.refresh()
    assert view.text.toPlainText() == CODES[0].tir
    assert view.note.text() == "direct, tiles of 8 × 32"
    put_cursor(view, 2)
    assert chosen == []
    view.show_node(STAGE, KNOWN, KNOWN.node("a1"))
    assert view.place.value == TIR


def test_code_that_is_still_to_come_is_announced(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, "a1")
    inspection = inspected(measurement("a1"), finished=False)
    known = inspection.stage(STAGE)
    view.place.choose(TIR)
    view.show_node(STAGE, known, known.node("a1"))
    assert view.text.toPlainText() == NO_CODE
    inspection.handle_event(CodeEvent(CODES[0]))
    view.refresh()
    assert view.text.toPlainText() == CODES[0].tir


def test_our_own_files_and_those_of_packages_are_found() -> None:
    ours = source_text("engine/network/exportable/prosody.py")
    theirs = source_text("kokoro/istftnet.py")
    assert ours is not None
    assert "class" in ours
    assert theirs is not None
    assert "AdaIN" in theirs


def test_the_first_folder_that_has_it_counts(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(name)
    assert source_text("a.py", (tmp_path / "none", tmp_path / "two", tmp_path / "one")) == "two"


@pytest.mark.parametrize(
    "file", ["../secret.py", "/etc/hosts", "notes.txt", "folder.py", "bytes.py", "link.py", "nowhere.py"]
)
def test_only_python_files_inside_the_program_are_shown(tmp_path: Path, file: str) -> None:
    inside = tmp_path / "program"
    (inside / "folder.py").mkdir(parents=True)
    (tmp_path / "secret.py").write_text("secret")
    (inside / "notes.txt").write_text("notes")
    (inside / "bytes.py").write_bytes(b"\xff\xfe\x00")
    (inside / "link.py").symlink_to(tmp_path / "secret.py")
    assert source_text(file, (inside,)) is None


def test_a_file_too_large_to_be_source_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.diagnostics.kernels.kernel_details.MAX_BYTES", 3)
    (tmp_path / "a.py").write_text("long")
    assert source_text("a.py", (tmp_path,)) is None


def test_lines_known_without_the_file_come_in_order() -> None:
    lines = [SourceLine("a.py", 9, "nine"), SourceLine("b.py", 1, "other"), SourceLine("a.py", 3, "three")]
    assert list(known_lines("a.py", lines).items()) == [(3, "three"), (9, "nine")]


class Switches:
    def __init__(self, qtbot: QtBot) -> None:
        self.switches = ReplaceButton()
        qtbot.addWidget(self.switches)
        self.wanted: list[tuple[Replacement, ...]] = []
        self.switches.replacements_requested.connect(self.wanted.append)
        self.switches.show_node(STAGE, A)


@pytest.fixture
def desk(qtbot: QtBot) -> Switches:
    return Switches(qtbot)


def states(desk: Switches) -> list[bool]:
    switches = desk.switches
    return [box.isChecked() for box in (switches.plain_loops, switches.kernel_in_pytorch, switches.stage_in_pytorch)]


def test_each_switch_asks_for_its_replacement(desk: Switches) -> None:
    for name, wanted in (("plain_loops", A_PLAIN), ("kernel_in_pytorch", A_TORCH), ("stage_in_pytorch", WHOLE)):
        box: QAction = getattr(desk.switches, name)
        box.trigger()
        assert desk.wanted[-1] == (wanted,)
        box.trigger()


def test_a_kernel_is_computed_in_one_way(desk: Switches) -> None:
    desk.switches.plain_loops.trigger()
    desk.switches.kernel_in_pytorch.trigger()
    assert desk.wanted == [(A_PLAIN,), (A_TORCH,)]
    assert states(desk) == [False, True, False]


def test_a_whole_stage_leaves_no_kernel_of_it_to_replace(desk: Switches) -> None:
    desk.switches.plain_loops.trigger()
    desk.switches.stage_in_pytorch.trigger()
    assert desk.wanted[-1] == (WHOLE,)
    desk.switches.kernel_in_pytorch.trigger()
    assert desk.wanted[-1] == (A_TORCH,)


def test_replacements_of_several_kernels_and_stages_add_up(desk: Switches) -> None:
    desk.switches.kernel_in_pytorch.trigger()
    desk.switches.show_node(STAGE, B)
    assert states(desk) == [False, False, False]
    desk.switches.kernel_in_pytorch.trigger()
    desk.switches.show_node("decoder", None)
    desk.switches.stage_in_pytorch.trigger()
    assert desk.wanted[-1] == (A_TORCH, B_TORCH, Replacement("decoder"))
    desk.switches.show_node(STAGE, A)
    assert states(desk) == [False, True, False]


def test_forgetting_or_switching_the_last_off_leaves_nothing(desk: Switches) -> None:
    desk.switches.plain_loops.trigger()
    desk.switches.plain_loops.trigger()
    assert desk.wanted == [(A_PLAIN,), ()]
    desk.switches.plain_loops.trigger()
    desk.switches.forget()
    assert desk.switches.replacements == ()
    assert states(desk) == [False, False, False]
    assert len(desk.wanted) == 3


def test_an_input_is_no_kernel_and_without_a_stage_there_is_nothing(desk: Switches) -> None:
    switches = desk.switches
    switches.show_node(STAGE, INPUT)
    assert [box.isEnabled() for box in (switches.plain_loops, switches.stage_in_pytorch)] == [False, True]
    switches.show_node(None, None)
    assert not switches.stage_in_pytorch.isEnabled()


IN_ORDER = ("in", "a1", "a2", "a3", "m", "b1", "b2", "out")


def listed(qtbot: QtBot, inspection: Inspection) -> tuple[KernelList, list[str]]:
    kernels, chosen = KernelList(), []
    qtbot.addWidget(kernels)
    kernels.node_chosen.connect(chosen.append)
    kernels.show_stage(inspection.stage(STAGE))
    return kernels, chosen


def cell(kernels: KernelList, row: int, column: int, role: int = Qt.ItemDataRole.DisplayRole) -> object:
    return kernels.model().index(row, column).data(role)


def test_nodes_are_listed_in_the_order_of_the_calls(qtbot: QtBot) -> None:
    kernels, _ = listed(qtbot, inspected())
    assert kernels.shown_nodes == IN_ORDER
    assert [cell(kernels, 5, column) for column in (TITLE, ERROR, TIME, MODULE)] == [
        "conv1d b1", "✗ 3.1e4", "250 µs", "predictor.N.0.conv1",
    ]  # fmt: skip
    assert [cell(kernels, 0, column) for column in (ERROR, TIME)] == ["", "–"]


def test_a_verdict_is_colored_and_available_to_screen_readers(qtbot: QtBot, theme: Theme) -> None:
    kernels, _ = listed(qtbot, inspected())
    kernels.ensurePolished()
    theme.choose(Appearance.DARK)
    assert cell(kernels, 5, ERROR, Qt.ItemDataRole.ForegroundRole) == QBrush(QColor(DARK.error))
    assert cell(kernels, 5, ERROR, Qt.ItemDataRole.AccessibleTextRole) == "Wrong, 3.1e4 × float32"
    assert cell(kernels, 5, TITLE, Qt.ItemDataRole.ToolTipRole) == "conv1d b1, predictor.N.0.conv1: ✗ 3.1e4 × float32"


def test_the_worst_come_first_on_request_and_ties_keep_call_order(qtbot: QtBot) -> None:
    kernels, _ = listed(qtbot, inspected())
    kernels.put_worst_first(True)
    assert kernels.shown_nodes == ("b1", "a3", "a1", "m", "b2", "a2", "in", "out")
    kernels.put_worst_first(False)
    assert kernels.shown_nodes == IN_ORDER


def test_a_measurement_that_comes_in_finds_its_place(qtbot: QtBot) -> None:
    inspection = inspected()
    kernels, _ = listed(qtbot, inspection)
    kernels.put_worst_first(True)
    inspection.handle_event(KernelEvent(measurement("m", KernelVerdict.WRONG, 1e9)))
    kernels.refresh()
    assert kernels.shown_nodes[0] == "m"


def test_only_changed_rows_are_drawn_again(qtbot: QtBot) -> None:
    inspection = inspected(finished=False)
    kernels, _ = listed(qtbot, inspection)
    rows: set[int] = set()
    kernels.model().dataChanged.connect(lambda first, last, roles: rows.add(first.row()))
    kernels.refresh()
    assert rows == set()
    inspection.handle_event(KernelEvent(measurement("m", KernelVerdict.IMPRECISE)))
    kernels.refresh()
    assert rows == {4}


@pytest.mark.parametrize(
    ("words", "found"),
    [("predictor.n", ("b1", "b2")), ("LSTM", ("m",)), ("fused_add", ("a2",)), ("nowhere", ()), (" ", IN_ORDER)],
)
def test_search_looks_into_names_modules_and_kernels(qtbot: QtBot, words: str, found: tuple[str, ...]) -> None:
    kernels, _ = listed(qtbot, inspected())
    kernels.search(words)
    assert kernels.shown_nodes == found


def test_choosing_by_program_emits_nothing_and_by_hand_emits_the_node(qtbot: QtBot) -> None:
    kernels, chosen = listed(qtbot, inspected())
    kernels.choose("m")
    assert kernels.currentIndex().row() == 4
    assert chosen == []
    kernels.setCurrentIndex(kernels.model().index(5, TITLE))
    assert chosen == ["b1"]
    kernels.search("predictor.N")
    for not_listed in ("a1", None):
        kernels.choose(not_listed)
        assert not kernels.selectedIndexes()


def test_a_different_stage_replaces_the_list(qtbot: QtBot) -> None:
    kernels, chosen = listed(qtbot, inspected())
    kernels.choose("m")
    kernels.show_stage(None)
    assert kernels.shown_nodes == ()
    empty = Inspection()
    empty.handle_event(GraphEvent(GRAPH))
    kernels.show_stage(empty.stage(STAGE))
    assert cell(kernels, 1, ERROR) == "–"
    assert chosen == []
