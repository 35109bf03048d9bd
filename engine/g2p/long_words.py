"""Words too long for a dictionary, split by spaces so that later steps need not expect them."""

from __future__ import annotations

import re

from engine.g2p.draft import Draft
from engine.g2p.overrides import PLACEHOLDER

LONGEST_LETTERS = 45
"""Letters of the longest word in misaki's lexicon."""
MOST_PARTS = 5
"""Parts of a compound; misaki's search in a word takes time cubic in them."""
LETTERS = re.compile(rf"[A-Za-z]{{{LONGEST_LETTERS}}}(?=[A-Za-z])")
COMPOUND = re.compile(rf"(?:[A-Za-z]+[^A-Za-z\s]+){{{MOST_PARTS},}}\S*")
JOINT = re.compile(r"(?<=[^A-Za-z\s])(?=[A-Za-z])")
GIVEN = re.compile(rf"(?:{PLACEHOLDER}[^A-Za-z\s{PLACEHOLDER}]*){{{MOST_PARTS}}}(?=\S)")
"""Words whose pronunciation is given, without a space between them."""
CAMEL_CASE = re.compile(rf"(?:[A-Z][a-z]+){{{MOST_PARTS + 1},}}")
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def cut_long_words(draft: Draft) -> None:
    """Split endless compounds at their joints, and endless runs of letters anywhere."""
    draft.rewrite(CAMEL_CASE, lambda match: HUMP.sub(" ", match[0]))
    draft.rewrite(LETTERS, lambda match: f"{match[0]} ")
    draft.rewrite(COMPOUND, lambda match: JOINT.sub(" ", match[0].replace("-", " ")))
    draft.rewrite(GIVEN, lambda match: f"{match[0].rstrip('-')} ")
