"""Trained weights, real sentences: the compiled model against the reference, as in `test_exactness`."""

import numpy as np
import pytest

from engine.models.checkpoints import FULL_SIZE, Checkpoint
from engine.speech import SpeechRequest
from engine.text.languages import LANGUAGES
from tests.engine.exactness import Bench, Values, correlation, run_all, spoken_values
from tests.engine.test_exactness import (
    SPEEDS,
    TOKEN_COUNTS,
    assert_durations,
    assert_exact_from,
    assert_ragged,
    assert_reference_fed,
    prepared,
)
from tests.trained import VOICES, needs_trained, sample_phonemes, sentence_phonemes, text_phonemes

pytestmark = needs_trained

NEAR_THE_TRUTH = 0.9999
FRAMES_PER_SECOND = 40
MAX_OF_A_SAMPLE = 12
MAX_PHONEMES = {2: 30, 10: 170, 30: 505}
"""Approximate limits for speech of 2, 10 and 30 seconds."""
OTHER_LANGUAGES = [language for language in LANGUAGES if not language.english]
"""Those whose sentences `VOICES` do not speak."""
VOICE_OF = {
    "es": "ef_dora",
    "fr-FR": "ff_siwis",
    "hi": "hf_alpha",
    "it": "if_sara",
    "ja": "jf_alpha",
    "pt-BR": "pf_dora",
    "zh": "zf_xiaobei",
}


@pytest.fixture(scope="module")
def made(trained: Checkpoint) -> Bench:
    return prepared(FULL_SIZE)


def text_values(made: Bench, token_count: int, speed: float) -> Values:
    """Return the beginning of a text; for one token, the border alone."""
    values = spoken_values(made, text_phonemes(max(0, token_count - 2)), speed)
    tokens = values["tokens"][:, :token_count]
    return {**values, "tokens": tokens, "token_count": np.array([token_count], np.int32)}


def test_a_single_token_matches_the_reference(made):
    assert_exact_from(made, text_values(made, 1, 1.0))


@pytest.mark.long
@pytest.mark.parametrize("speed", SPEEDS)
@pytest.mark.parametrize("token_count", TOKEN_COUNTS)
def test_a_text_matches_the_reference_at_any_length(made, token_count, speed):
    assert_exact_from(made, text_values(made, token_count, speed))


@pytest.mark.parametrize("voice", VOICES)
@pytest.mark.parametrize("seconds", [2, *(pytest.param(n, marks=pytest.mark.long) for n in (10, 30))])
def test_the_waveform_of_sentences_is_the_truths(made, seconds, voice):
    language = made.checkpoint.voices[voice].info.language
    start = spoken_values(made, sentence_phonemes(MAX_PHONEMES[seconds], language), voice=voice)
    truth, ours = assert_exact_from(made, start)
    assert int(truth["frame_count"][0]) == pytest.approx(seconds * FRAMES_PER_SECOND, rel=0.3)
    assert correlation(ours["audio"], truth["audio"]) >= NEAR_THE_TRUTH


@pytest.mark.parametrize("language", OTHER_LANGUAGES, ids=lambda language: language.tag)
def test_a_voice_of_every_language_matches_the_reference(made, language):
    start = spoken_values(made, sample_phonemes(language)[:MAX_OF_A_SAMPLE], voice=VOICE_OF[language.tag])
    assert_reference_fed(made, assert_near_the_truth(made, start))


def assert_near_the_truth(made: Bench, start: Values) -> Values:
    """Check that the compiled model follows the reference end to end, with equal durations; return the reference."""
    truth, ours = run_all(made, made.truth, start), run_all(made, made.compiled, start)
    assert assert_durations(made, ours, truth)
    assert correlation(ours["audio"], truth["audio"]) >= NEAR_THE_TRUTH
    return truth


def test_a_ragged_batch_of_sentences_equals_its_members(made):
    lengths = dict(zip(VOICES, (3, 20, 9), strict=True))
    assert_ragged(made, [spoken_values(made, text_phonemes(n), voice=voice) for voice, n in lengths.items()])


def test_it_speaks(trained_synthesizer):
    (chunk,) = trained_synthesizer.synthesize(SpeechRequest("Good morning.", "af_heart"))
    assert 0.5 < chunk.seconds < 2
    assert 0.01 < np.sqrt(np.square(chunk.samples).mean()) < 0.3
