"""Decides the part of speech of homographs from their neighbors: “I read the live record”.

The caller specifies the homographs and the classes by which they differ.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

NOUN, VERB, ADJECTIVE = "NOUN", "VERB", "ADJ"

TO_AS_PREPOSITION = frozenset(("close", "due", "according", "subject", "thanks", "addicted", "prior", "owing", "next"))
"""Words after which “to” is followed by a noun."""
AUXILIARIES = frozenset(("do", "does", "did", "let", "let's", "please", "cannot", "'ll", "'d", "ca", "wo"))
BE = frozenset(("am", "is", "are", "was", "were", "be", "been", "being", "'m", "'re", "feel", "seem", "seems"))
HAVE = frozenset(("have", "has", "had", "having", "'ve"))
SUBJECTS = frozenset(("i", "you", "we", "they", "who"))
SUBJECTS_OF_S = frozenset(("he", "she", "it", "who", "that", "which"))
OBJECTS = frozenset(("me", "him", "them", "us", "it", "myself", "himself", "herself", "itself", "themselves"))
AFTER_VERBS = frozenset(("RB", "IN", "TO", ".", "PRP"))
DETERMINER_TAGS = frozenset(("DT", "PRP$", "POS", "WP$", "PDT"))
NOUN_TAGS = frozenset(("NN", "NNS", "NNP", "NNPS"))
BEFORE_LETTER_TAGS = NOUN_TAGS | DETERMINER_TAGS | {"CD"}
"""Tags after which a capital “A” is the letter: “vitamin A”, “the A three twenty”."""
SENTENCE_PUNCTUATION = frozenset((".", ":", ",", "``", "''", "-LRB-"))
CONJUNCTIONS = frozenset(("than", "as", "if", "because", "when", "while", "that", "whether", "although", "so"))
HABIT_WORDS = frozenset(
    ("always", "often", "usually", "sometimes", "never", "every", "daily", "rarely", "now", "seldom", "generally")
)
"""Words that indicate the present for a verb with equal present and past forms."""
PAST_ALIKE = frozenset(("read", "reread", "wound", "dove"))
"""Words that are also, unchanged, the past of a verb."""
BEFORE_NOUN_ADJECTIVES = frozenset(("close", "closer", "content", "invalid", "overhead"))
_TINY_THINGS = (
    "amount amounts change changes crack cracks detail details difference differences examination fraction fractions "
    "particle particles portion portions quantities quantity scrutiny size trace traces variation variations"
)
TINY_THINGS = frozenset(_TINY_THINGS.split())
FISHING = frozenset(("fish", "fishing", "sea", "striped", "largemouth", "smallmouth", "caught", "catch", "lake"))
_METAL_THINGS = (
    "acid apron bar bars battery ball balls block blocks box bullet bullets coffin compounds crystal dust foil glass "
    "ingot ingots mine mines ore oxide paint paints pencil pencils pipe pipes piping plate plates poisoning roof "
    "roofing roofs seal seals sheathing sheet sheets shot sinker sinkers slug slugs soldier soldiers weight weights"
)
METAL_THINGS = frozenset(_METAL_THINGS.split())
_METALS = "antimony arsenic brass cadmium copper gold iron mercury metal metals silver steel tin zinc"
METALS = frozenset(_METALS.split())
OF_METAL = frozenset(("molten", "melted", "red", "white", "black", "sheet", "solid", "liquid", "heavy", "pig"))
BEFORE_SUBSTANCES = frozenset(
    ("of", "as", "than", "like", "with", "in", "into", "from", "for", "by", "contain", "contains")
)
METAL = "METAL"
"""The tag of “lead” where it is a metal."""
_BOW_THINGS = (
    "archer archers arrow arrows bowstring cello crossbow fiddle fiddler hair hunting knot longbow necktie quiver "
    "ribbon ribbons rosin sash satin shoot silk spear spears string strings strung sword tie tied ties velvet violin "
    "violinist yew"
)
BOW_THINGS = frozenset(_BOW_THINGS.split())
"""Words near which a bow is bent or tied."""
_BOWING = (
    "acknowledged actor answered bobbed audience awkward ceremonious cold courteous courtly curt curtain curtsey "
    "curtsy deep deepest distant dropped elegant exaggerated final formal friendly gave general give given gives "
    "giving graceful gracious grave hasty head little low lowest made make makes making mock nod obsequious polite "
    "profound respectful return returned returning silent slight slightest smile smiled smiling solemn stiff stiffest "
    "sweeping swept take takes taking took"
)
_SHIPS = (
    "aboard aft anchor boat boats canoe deck gunwale hull keel mast oars port prow raft rudder sail sailed sails "
    "schooner sea ship ships starboard stern vessel vessels water wave waves yacht"
)
BOWING = frozenset((*_BOWING.split(), *_SHIPS.split()))
"""Words near which a bow is a movement, or the front of a ship, which sounds the same."""
BOW_REACH = 6
SPELLED_IN_CAPITALS = frozenset(("US", "WHO", "IT", "ID", "OS", "GI", "SAT", "ISO", "DOE", "LA", "DA", "MI", "PA"))
SPELLED_AFTER_NOUN_PHRASE_START = frozenset(("WHO", "IT"))


@dataclass(frozen=True)
class Context:
    """A word of a sentence with its neighbors; adverbs before it are skipped."""

    words: Sequence[str]
    tags: Sequence[str]
    index: int

    @property
    def word(self) -> str:
        """The word itself in lowercase."""
        return self.words[self.index].lower()

    @property
    def before_index(self) -> int:
        """The index of the last word before it that is not an adverb; -1 at the start."""
        index = self.index - 1
        while index >= 0 and self.tags[index].startswith("RB"):
            index -= 1
        return index

    @property
    def before(self) -> str:
        """The word before it in lowercase; empty at the start."""
        return self.words[self.before_index].lower() if self.before_index >= 0 else ""

    @property
    def before_tag(self) -> str:
        """The tag of the word before it; a full stop at the start."""
        return self.tags[self.before_index] if self.before_index >= 0 else "."

    @property
    def after(self) -> str:
        """The next word in lowercase; empty at the end."""
        return self.words[self.index + 1].lower() if self.index + 1 < len(self.words) else ""

    @property
    def after_tag(self) -> str:
        """The tag of the next word; a full stop at the end."""
        return self.tags[self.index + 1] if self.index + 1 < len(self.words) else "."

    def near(self, reach: int) -> frozenset[str]:
        """Return the words within `reach` of it, in lowercase."""
        around = self.words[max(0, self.index - reach) : self.index + reach + 1]
        return frozenset(word.lower() for word in around)

    @property
    def object_follows(self) -> bool:
        """True if an object begins after the word."""
        return self.after in OBJECTS or self.after_tag in ("DT", "PRP$")


def correct_tags(words: Sequence[str], tags: Sequence[str], homographs: Mapping[str, Collection[str]]) -> list[str]:
    """Return the tags, with those of homographs decided; `homographs` maps each to the classes it differs by."""
    settled = list(tags)
    for index, word in enumerate(words):
        if word in SPELLED_IN_CAPITALS:
            settled[index] = _capitals(Context(words, settled, index))
        elif word == "A" and _is_letter(words, settled, index):
            settled[index] = "NN"
        elif word.lower() == "lead":
            settled[index] = METAL if _is_metal(Context(words, settled, index)) else settled[index]
        elif word.lower() in homographs:
            context = Context(words, settled, index)
            settled[index] = _settled(context, frozenset(homographs[word.lower()]))
    return settled


def _is_letter(words: Sequence[str], tags: Sequence[str], index: int) -> bool:
    """Return whether an “A” is not an article: “plan A”, “Q and A”, “A or B”."""
    if index and tags[index - 1] in BEFORE_LETTER_TAGS:
        return True
    pairs = [words[index - 2 : index]] if index >= 2 else []
    pairs.append(words[index + 1 : index + 3][::-1])
    return any(len(pair) == 2 and pair[1] in ("and", "or") and _is_initial(pair[0]) for pair in pairs)


def _is_initial(word: str) -> bool:
    return len(word) == 1 and word.isupper()


def _capitals(context: Context) -> str:
    """Return the tag of an abbreviation: a name, except in a text that is all capitals."""
    shouting = all(word.upper() == word for word in context.words)
    word = context.words[context.index]
    named = word not in SPELLED_AFTER_NOUN_PHRASE_START or context.before_tag == "DT" or context.after_tag == "NN"
    return "NNP" if named and not shouting else context.tags[context.index]


def _settled(context: Context, classes: frozenset[str]) -> str:
    if context.word == "minute":
        return "JJ" if context.after in TINY_THINGS or context.before in ("very", "extremely") else "NN"
    if context.word == "bass":
        return "NN" if context.near(3) & FISHING else "JJ"
    decided = _class(context)
    if context.word in ("bow", "bows") and decided != VERB:
        return "VB" if _is_movement(context) else _tag(context, NOUN)
    if decided == NOUN and context.after_tag in NOUN_TAGS:
        adjective = ADJECTIVE in classes or context.word in BEFORE_NOUN_ADJECTIVES
        decided = ADJECTIVE if adjective else NOUN
    return _tag(context, decided)


def _is_metal(context: Context) -> bool:
    """Return whether “lead” is a metal: a lead that is taken has an article."""
    if context.object_follows or context.before == "to" or context.before_tag in ("MD", "PRP", "NNS"):
        return False
    if context.after in METAL_THINGS or context.before in OF_METAL or context.near(3) & METALS:
        return True
    return context.before in BEFORE_SUBSTANCES and context.after_tag not in NOUN_TAGS


def _is_movement(context: Context) -> bool:
    """Return whether a bow is a movement or part of a ship, rather than bent or tied."""
    nearby = context.near(BOW_REACH)
    if nearby & BOW_THINGS:
        return False
    with_a = [word.lower() for word in context.words[max(0, context.index - 2) : context.index]] == ["with", "a"]
    return with_a or bool(nearby & BOWING)


def _class(context: Context) -> str | None:
    """Return noun, verb or adjective; None if the neighbors do not decide."""
    return _class_by_word_before(context) or _class_by_tag_before(context) or (VERB if context.object_follows else None)


def _class_by_word_before(context: Context) -> str | None:
    before, tag = context.before, context.before_tag
    if before == "to":
        at = context.before_index
        return NOUN if at and context.words[at - 1].lower() in TO_AS_PREPOSITION else VERB
    if tag == "MD" or before in AUXILIARIES or (before in ("n't", "not") and not _follows_be(context)):
        return VERB
    if before in SUBJECTS or (before in SUBJECTS_OF_S and (context.word.endswith("s") or context.word in PAST_ALIKE)):
        return VERB
    if before in BE:
        return ADJECTIVE
    if before in HAVE:
        return VERB if context.word in PAST_ALIKE else NOUN
    return None


def _class_by_tag_before(context: Context) -> str | None:
    tag = context.before_tag
    if tag in DETERMINER_TAGS:
        return VERB if context.before in ("that", "this", "her") and context.object_follows else NOUN
    if tag.startswith("JJ") or tag == "CD":
        return NOUN
    if tag == "IN" and context.before not in CONJUNCTIONS:
        return NOUN
    if tag in SENTENCE_PUNCTUATION:
        return VERB if context.object_follows or context.after_tag == "PRP" else None
    if tag == "CC":
        return _class_of_tag(context.tags[context.before_index - 1]) if context.before_index else None
    return _class_after_noun(context) if tag in NOUN_TAGS else None


def _class_after_noun(context: Context) -> str:
    if context.word in PAST_ALIKE and (context.object_follows or context.after_tag == "IN"):
        return VERB
    plural = context.before_tag in ("NNS", "NNPS")
    named = context.before_tag in ("NNP", "NNPS") or context.word == "lives"
    agrees = not context.word.endswith("s") if plural else context.word.endswith("s")
    continues = context.object_follows or ((plural or named) and context.after_tag in AFTER_VERBS)
    return VERB if agrees and continues else NOUN


def _follows_be(context: Context) -> bool:
    """Return whether the “not” before the word belongs to a form of “be”."""
    return any(word.lower() in BE for word in context.words[max(0, context.before_index - 1) : context.before_index])


def _class_of_tag(tag: str) -> str | None:
    if tag.startswith("VB"):
        return VERB
    return NOUN if tag in NOUN_TAGS else None


def _tag(context: Context, decided: str | None) -> str:
    plural = context.word.endswith("s") and not context.word.endswith("ss")
    if decided == NOUN:
        return "NNS" if plural else "NN"
    if decided == ADJECTIVE:
        return "VBN" if context.word in PAST_ALIKE else "JJ"
    if decided == VERB:
        return "VBZ" if plural else _verb_tag(context)
    return context.tags[context.index]


def _verb_tag(context: Context) -> str:
    """Return the base form, or the past if both are equal and nothing indicates the present."""
    if context.word not in PAST_ALIKE:
        return "VB"
    if context.before in HAVE:
        return "VBN"
    bare = (
        context.before == "to" or context.before_tag in ("MD", *SENTENCE_PUNCTUATION) or context.before in AUXILIARIES
    )
    if bare or context.before in ("n't", "not"):
        return "VB"
    third_person = context.before in SUBJECTS_OF_S and context.before != "who"
    habit = any(word.lower() in HABIT_WORDS for word in context.words)
    return "VB" if habit and not third_person else "VBD"
