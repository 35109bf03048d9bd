"""Words too long for a dictionary, cut by spaces so that the rest of the way need not expect them.

It does not know whether they mean anything.
"""

from __future__ import annotations

import re

from engine.g2p.draft import Draft

LONGEST_LETTERS = 45
"""Of the longest word in misaki's lexicon."""
MOST_PARTS = 5
"""Of a compound; the search of misaki in a word takes the cube of its parts."""
LETTERS = re.compile(rf"[A-Za-z]{{{LONGEST_LETTERS}}}(?=[A-Za-z])")
COMPOUND = re.compile(rf"(?:[A-Za-z]+[^A-Za-z\s]+){{{MOST_PARTS},}}\S*")
JOINT = re.compile(r"(?<=[^A-Za-z\s])(?=[A-Za-z])")
CAMEL_CASE = re.compile(rf"(?:[A-Z][a-z]+){{{MOST_PARTS + 1},}}")
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def cut_long_words(draft: Draft) -> None:
    """Part endless compounds at their joints, and endless runs of letters anywhere."""
    draft.rewrite(CAMEL_CASE, lambda match: HUMP.sub(" ", match[0]))
    draft.rewrite(LETTERS, lambda match: f"{match[0]} ")
    draft.rewrite(COMPOUND, lambda match: JOINT.sub(" ", match[0].replace("-", " ")))
