import io

import matplotlib.image

from engine.benchmark.plot import as_png
from tests.engine.benchmark.example_measurement import measurement


def test_the_picture_has_a_line_for_everybody():
    picture = matplotlib.image.imread(io.BytesIO(as_png(measurement())), format="png")
    assert picture.shape[1] > picture.shape[0] > 300
    colours = {tuple(colour) for colour in (picture[..., :3] * 255).round().astype(int).reshape(-1, 3).tolist()}
    assert {(31, 119, 180), (255, 127, 14), (44, 160, 44)} <= colours


def test_the_same_figures_make_the_same_picture():
    assert as_png(measurement()) == as_png(measurement())
