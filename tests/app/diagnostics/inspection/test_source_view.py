from PySide6.QtGui import QColor, QTextCursor
from pytestqt.qtbot import QtBot

from app.diagnostics.inspection import source_view
from app.diagnostics.inspection.source_text import NOT_HERE, source_text
from app.diagnostics.inspection.source_view import NO_SOURCE, SourceView, line_signs, nodes_of_line
from app.theme import DARK
from engine.inspection.results import KernelEvent, KernelVerdict
from tests.app.inspection_fakes import FILE, STAGE, inspected, measurement


def shown(qtbot: QtBot, node: str) -> tuple[SourceView, list[str]]:
    view, chosen = SourceView(), []
    qtbot.addWidget(view)
    view.node_chosen.connect(chosen.append)
    view.resize(500, 300)
    view.show()
    known = inspected().stage(STAGE)
    assert known is not None
    view.show_node(known, known.node(node))
    return view, chosen


def put_cursor(view: SourceView, line: int) -> None:
    view.text.setTextCursor(QTextCursor(view.text.document().findBlockByNumber(line - 1)))


def test_the_file_is_shown_at_the_line_with_its_neighbours(qtbot: QtBot) -> None:
    view, chosen = shown(qtbot, "m")
    text = source_text(FILE)
    assert text is not None
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
    known = inspected().stage(STAGE)
    assert known is not None
    assert nodes_of_line(known, FILE, 67) == ("b1", "b2")


def test_a_line_of_the_same_node_or_of_none_chooses_nothing(qtbot: QtBot) -> None:
    view, chosen = shown(qtbot, "b2")
    put_cursor(view, 1)
    put_cursor(view, 67)
    assert chosen == []


def test_a_node_without_source_says_so(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, "a2")
    assert view.text.toPlainText() == ""
    assert view.note.text() == NO_SOURCE
    assert view.place.isHidden()


def test_a_file_that_is_not_here_shows_the_lines_that_are_known(qtbot: QtBot, monkeypatch) -> None:
    monkeypatch.setattr(source_view, "source_text", lambda file: None)
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
    assert known is not None
    view.show_node(known, known.node("m"))
    inspection.take(KernelEvent(measurement("m", KernelVerdict.WRONG)))
    view.refresh()
    assert view.text.toPlainText().splitlines()[65].startswith("✗  66")
    assert view.line == 66


def test_the_line_is_highlighted_in_the_colours_of_the_theme(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, "m")
    view.set_colours(DARK)
    [mark] = view.text.extraSelections()
    assert mark.format.background().color() == QColor(DARK.highlight)
    assert mark.cursor.blockNumber() == 65


def test_a_hidden_view_reads_nothing_until_it_is_seen(qtbot: QtBot, monkeypatch) -> None:
    read = []
    monkeypatch.setattr(source_view, "source_text", lambda file: read.append(file) or "x\n" * 99)
    view = SourceView()
    qtbot.addWidget(view)
    known = inspected().stage(STAGE)
    assert known is not None
    view.show_node(known, known.node("m"))
    assert read == []
    view.show()
    assert read == [FILE]
    assert view.line == 66
