import re
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from engine.validator.reports.plots import INK, SERIES, draw


def paint(figure: Figure) -> None:
    panel = figure.subplots()
    panel.plot(np.linspace(0, 1, 50), np.linspace(0, 1, 50) ** 2, color=SERIES[1], marker="o", label="a $1 < 2$ & b")
    panel.fill_between([0, 1], [0, 1], color=INK, hatch="//")
    panel.legend()


def test_it_is_one_element_that_a_page_takes() -> None:
    element = draw(4, 2, "one", 'Curve "a" & b', paint)
    root = ElementTree.fromstring(element)
    assert root.tag.endswith("svg")
    assert root.attrib["aria-label"] == 'Curve "a" & b'
    assert "a $1 < 2$ & b" in "".join(root.itertext())


def test_it_takes_the_colours_of_the_page() -> None:
    element = draw(4, 2, "one", "Curve", paint)
    assert {"var(--ink)", "var(--muted)", "var(--line)", "var(--series-1)"} <= set(
        re.findall(r"var\(--[\w-]+\)", element)
    )
    assert not re.findall(r"#01\w{4}", element)


def test_nothing_comes_from_elsewhere() -> None:
    element = draw(4, 2, "one", "Curve", paint)
    assert not re.findall(r'href="(?!#|data:)', element)
    assert re.findall(r"https?://[\w./]+", element) == ["http://www.w3.org/1999/xlink", "http://www.w3.org/2000/svg"]
    assert "<style" not in element


def test_names_are_the_figures_own_and_are_found() -> None:
    element = draw(4, 2, "one", "Curve", paint)
    names = re.findall(r' id="([^"]*)"', element)
    assert names
    assert len(set(names)) == len(names)
    assert all(name.startswith("one-") for name in names)
    assert set(re.findall(r'(?:url\(|href=")#([^")]+)', element)) == set(names)


def test_the_same_drawing_gives_the_same_characters() -> None:
    assert draw(4, 2, "one", "Curve", paint) == draw(4, 2, "one", "Curve", paint)


def test_settings_of_others_stay_as_they_are() -> None:
    names = [name for name in mpl.rcParams if name != "backend"]  # looking at this one chooses one
    before = {name: mpl.rcParams[name] for name in names}
    draw(4, 2, "one", "Curve", paint)
    assert {name: mpl.rcParams[name] for name in names} == before
