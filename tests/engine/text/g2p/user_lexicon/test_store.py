import json
import multiprocessing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import DamagedFile, InvalidRequest, OutputError
from engine.text.g2p.user_lexicon.entries import LexiconEntry
from engine.text.g2p.user_lexicon.store import Change, UserLexicon, additions
from tests.patience import PATIENCE_SECONDS

ZORG = LexiconEntry("Zorg", phonemes="zɔɹɡ")
DAMAGED = [
    "",
    "[]",
    "null",
    '{"version": 1}',
    '{"version": 1, "entries": {}',
    '{"version": 1, "entries": [{"word": "a"}]}',
    '{"version": 1, "entries": [{"word": "a", "say": 5}]}',
    '{"version": 1, "entries": [{"word": "a", "say": "b", "colour": "red"}]}',
    '{"version": 1, "entries": [{"word": "a", "say": "b", "language": "xx"}]}',
    '{"version": 1, "entries": [{"pattern": "(", "say": "b"}]}',
    '{"version": 1, "entries": ["a"]}',
    "[" * 100_000,
    "\ud800",
]


def test_entries_are_saved_in_order_and_replaced_by_their_key(lexicon):
    assert lexicon.entries() == ()
    other = LexiconEntry("zorg", say="b", language="es")
    lexicon.add([ZORG, other])
    lexicon.add([LexiconEntry("ZORG", say="new")])
    assert UserLexicon(lexicon.path).entries() == (LexiconEntry("ZORG", say="new"), other)


def test_words_that_differ_in_case_alone_are_separate_if_that_matters(lexicon):
    lexicon.add(
        [
            LexiconEntry("Polish", say="a", case="exact"),
            LexiconEntry("polish", say="b", case="exact"),
            LexiconEntry("polish", say="c"),
        ]
    )
    assert len(lexicon.entries()) == 3


def test_entries_are_removed_by_word_language_and_part_of_speech(lexicon):
    read = [LexiconEntry("read", say=name, part_of_speech=name) for name in ("noun", "verb")]
    spanish, rule = LexiconEntry("read", say="a", language="es"), LexiconEntry(pattern="x+", say="b")
    lexicon.add([*read, spanish, rule])
    assert lexicon.remove("READ", part_of_speech="verb") == (read[1],)
    assert lexicon.remove("read", language="es") == (spanish,)
    assert lexicon.remove("x+") == (rule,)
    assert lexicon.remove("read") == (read[0],)
    with pytest.raises(InvalidRequest, match="isn’t in your lexicon"):
        lexicon.remove("read")


WORDS = st.sampled_from(["a", "B", "b", "c", "d", "e", "f", "g"])
ENTRIES = st.lists(st.builds(LexiconEntry, WORDS, say=st.sampled_from("xy")), unique_by=lambda entry: entry.key)


@given(ENTRIES, ENTRIES, ENTRIES)
def test_a_change_is_undone_exactly(saved, removed, added):
    taken = [each for each in removed if each.key not in {entry.key for entry in added}]
    for change in (Change(tuple(taken)), additions(saved, added)):
        after, undoing = change.applied(saved)
        assert len({entry.key for entry in after}) == len(after)
        back, again = undoing.applied(after)
        assert back == tuple(saved)
        assert again.applied(back)[0] == after


@given(ENTRIES, ENTRIES)
def test_added_entries_come_last_or_replace_their_predecessors_in_place(saved, added):
    after, _ = additions(saved, added).applied(saved)
    assert [each.key for each in after[: len(saved)]] == [each.key for each in saved]
    assert set(added) <= set(after)


@given(ENTRIES.filter(bool), st.data())
def test_a_changed_entry_stays_in_its_place(saved, data):
    old = data.draw(st.sampled_from(saved))
    new = LexiconEntry("new", say="z")
    after, undoing = additions(saved, [new], old).applied(saved)
    assert after == tuple(new if each == old else each for each in saved)
    assert undoing.applied(after)[0] == tuple(saved)


def test_an_entry_whose_word_becomes_that_of_a_different_one_replaces_both(lexicon):
    lexicon.add([LexiconEntry("a", say="x"), LexiconEntry("b", say="x"), LexiconEntry("c", say="x")])
    entries, undoing = lexicon.apply(lambda saved: additions(saved, [LexiconEntry("C", say="y")], saved[0]))
    assert lexicon.entries() == entries == (LexiconEntry("C", say="y"), LexiconEntry("b", say="x"))
    lexicon.apply(lambda _: undoing)
    assert lexicon.entries() == (LexiconEntry("a", say="x"), LexiconEntry("b", say="x"), LexiconEntry("c", say="x"))


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_file_is_reported_and_never_overwritten(lexicon, content):
    lexicon.path.write_bytes(content.encode("utf-8", "surrogatepass"))
    before = lexicon.path.read_bytes()
    for action in (lexicon.entries, lambda: lexicon.add([ZORG]), lambda: lexicon.remove("a")):
        with pytest.raises(DamagedFile, match="can’t be read"):
            action()
    assert lexicon.path.read_bytes() == before


def test_a_file_of_a_newer_version_is_refused(lexicon):
    lexicon.path.write_text('{"version": 2, "entries": {}}')
    with pytest.raises(DamagedFile, match="newer version"):
        lexicon.add([ZORG])


def test_a_folder_that_cannot_be_written_is_reported(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises((OutputError, DamagedFile)):
        UserLexicon(tmp_path / "file" / "lexicon.json").add([ZORG])


def _add(path, number):
    UserLexicon(path).add([LexiconEntry(f"word{number}", say="a")])


def test_changes_by_concurrent_processes_are_not_lost(lexicon):
    processes = [multiprocessing.get_context("spawn").Process(target=_add, args=(lexicon.path, n)) for n in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(PATIENCE_SECONDS)
    assert {entry.word for entry in lexicon.entries()} == {f"word{number}" for number in range(4)}


def test_the_file_is_plain_json(lexicon):
    lexicon.add([LexiconEntry("café", phonemes="kæfˈA", case="exact")])
    saved = json.loads(lexicon.path.read_text(encoding="utf-8"))
    assert saved == {"version": 1, "entries": [{"word": "café", "phonemes": "kæfˈA", "case": "exact"}]}


def test_the_fingerprint_of_a_text_depends_on_its_own_entries_only(lexicon):
    text, other = "Dr. Zorg's house.", "No such word."
    assert lexicon.fingerprint(text) == ""
    lexicon.add([ZORG])
    first = lexicon.fingerprint(text)
    assert (bool(first), lexicon.fingerprint(other)) == (True, "")
    lexicon.add([LexiconEntry("house", say="home")])
    second = lexicon.fingerprint(text)
    assert second != first
    lexicon.add([LexiconEntry("cat", say="dog"), LexiconEntry(pattern="xyz", say="a")])
    assert lexicon.fingerprint(text) == second
    lexicon.add([LexiconEntry(pattern="no such", say="Zorg")])
    assert "Zorg" in lexicon.fingerprint(other)
