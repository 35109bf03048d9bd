import json
import subprocess

from app.diagnostics.inspection.layout import Drawing, lay_out, layout_from
from app.diagnostics.inspection.layout_process import COMMAND
from app.diagnostics.inspection.layout_worker import answer
from engine.system.paths import project_folder

FIRST = Drawing(((100, 40),) * 2, ((0, 1),))
SECOND = Drawing(((10, 10),), ())


def test_each_drawing_is_answered_in_turn() -> None:
    answers = []
    answer([json.dumps(drawing.plain()) for drawing in (FIRST, SECOND)], answers.append)
    assert [layout_from(plain) for plain in answers] == [lay_out(FIRST), lay_out(SECOND)]


def test_the_program_answers_and_ends_with_its_input() -> None:
    ended = subprocess.run(
        COMMAND,
        input=json.dumps(FIRST.plain()) + "\n",
        capture_output=True,
        text=True,
        check=True,
        cwd=project_folder(),
    )
    assert [layout_from(json.loads(line)) for line in ended.stdout.splitlines()] == [lay_out(FIRST)]


def test_the_program_loads_no_qt_and_no_numpy() -> None:
    program = (
        "import sys, app.diagnostics.inspection.layout_worker as worker; import graphlay; "
        "sys.exit(' '.join(name for name in ('PySide6', 'numpy', 'torch') if name in sys.modules))"
    )
    ended = subprocess.run(
        [COMMAND[0], "-c", program], capture_output=True, text=True, check=False, cwd=project_folder()
    )
    assert ended.stderr.strip() == ""
