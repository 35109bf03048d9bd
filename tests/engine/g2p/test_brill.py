"""Brill's rules as their tables say."""

from pathlib import Path

from engine.g2p.brill import ANY, ContextRule, TagLexicon, read_context, read_morphology, rules_by_tag, table_lines
from engine.g2p.tagger import tables_folder


def test_comments_and_blank_lines_are_skipped() -> None:
    assert list(table_lines("\ufeff;;; a comment\n\n x y \n")) == ["x y"]


def test_a_lexicon_takes_the_first_tag(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.txt"
    path.write_text(";;; a comment\n;;;\nbroken \nred NN|JJ\nrun VB\n", encoding="utf-8")
    lexicon = TagLexicon(path)
    assert dict(lexicon) == {"red": "NN", "run": "VB"}
    assert (len(lexicon), "broken" in lexicon, ";;;" in lexicon) == (2, False, False)


def test_the_lexicon_has_every_word_of_the_table() -> None:
    path = tables_folder() / "en-lexicon.txt"
    entries = (line.split(" ") for line in table_lines(path.read_text(encoding="utf-8")))
    expected = {word: tags.split("|")[0] for word, tags in entries}
    lexicon = TagLexicon(path)
    assert len(expected) > 90_000
    assert [word for word, tag in expected.items() if lexicon.get(word) != tag] == []


def test_morphology_rules_with_and_without_a_tag() -> None:
    plural, adverb = read_morphology("NN s fhassuf 1 NNS x\nly hassuf 2 RB x\n", {})
    assert (plural.before, plural.after, plural.applies("cats", "", "")) == ("NN", "NNS", True)
    assert (adverb.before, adverb.after, adverb.applies("slow", "", "")) == (None, "RB", False)


def test_morphology_knows_stems_and_neighbours() -> None:
    stem, before = read_morphology("un deletepref 2 JJ x\nNN the fgoodright NN x\n", {"happy"})
    assert stem.applies("unhappy", "", "")
    assert not stem.applies("uncle", "", "")
    assert before.applies("cat", "the", "")


def holds(line: str, words: str, tags: str, index: int) -> bool:
    (rule,) = read_context(line)
    return rule.applies(words.split(), tags.split(), index)


def test_context_rules_look_around() -> None:
    assert holds("NN VB PREVTAG TO", "to run", "TO NN", 1)
    assert not holds("NN VB PREVTAG TO", "the run", "DT NN", 1)
    assert holds("IN RB WDAND2AFT as as", "as good as", "IN JJ IN", 0)
    assert holds("JJ NN SURROUNDTAG DT .", "the good .", "DT JJ .", 1)
    assert holds("VBD VBN PREV1OR2WD have", "have not seen", "VB RB VBD", 2)


def test_rules_are_sorted_by_tag_and_any_means_all() -> None:
    rules = read_context("NN VB PREVTAG TO\n* IN CURWD with\n")
    by_tag = rules_by_tag(rules)
    assert [rule.after for rule in by_tag["NN"]] == ["VB", "IN"]
    assert [rule.after for rule in by_tag[ANY]] == ["IN"]
    assert all(isinstance(rule, ContextRule) for rule in by_tag["NN"])
