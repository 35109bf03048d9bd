"""Brill's rules as their tables say."""

from engine.g2p.brill import ContextRule, read_context, read_lexicon, read_morphology, rules_by_tag, table_lines


def test_comments_and_blank_lines_are_skipped() -> None:
    assert list(table_lines("\ufeff;;; a comment\n\n x y \n")) == ["x y"]


def test_a_lexicon_takes_the_first_tag() -> None:
    assert read_lexicon("run VB\nred NN|JJ\nbroken \n") == {"run": "VB", "red": "NN"}


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
    by_tag = rules_by_tag(rules, ["NN", "JJ"])
    assert [rule.after for rule in by_tag["NN"]] == ["VB", "IN"]
    assert [rule.after for rule in by_tag["JJ"]] == ["IN"]
    assert all(isinstance(rule, ContextRule) for rule in by_tag["NN"])
