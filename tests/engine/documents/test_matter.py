import pytest

from engine.documents.document import Matter
from engine.documents.matter import matter_of_title


@pytest.mark.parametrize(
    ("title", "matter"),
    [
        ("CONTENTS.", Matter.FRONT),
        ("Table des matières", Matter.FRONT),
        ("Copyright © 2020", Matter.TEXT),
        ("Copyright", Matter.FRONT),
        ("DEDICATION", Matter.FRONT),
        ("Index of Names", Matter.BACK),
        ("Notes", Matter.BACK),
        ("THE FULL PROJECT GUTENBERG™ LICENSE", Matter.BACK),
        ("Transcriber’s Note", Matter.BACK),
        ("Preface", Matter.TEXT),
        ("Notes from Underground", Matter.TEXT),
        ("The Index Finger", Matter.TEXT),
        ("", Matter.TEXT),
    ],
)
def test_a_title_tells_what_its_chapter_is(title: str, matter: Matter) -> None:
    assert matter_of_title(title) is matter
