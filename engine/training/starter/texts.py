"""Generates prompt texts for the teachers: our own sentence patterns filled with our own words and misaki's lexicon."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

US_SYMBOLS = frozenset("AIOTWYbdfhijklmnpstuvwzæðŋɐɑɔəɛɜɡɪɹʃʊʌʒʤʧˈˌθᵊᵻ")
"""Every symbol that misaki uses for US English."""
RARE_SYMBOLS = "ʒYθʤʧʊðWɔŋᵊ"
RARE_SHARE = 0.35
"""The share of lexicon words chosen for a rare symbol."""
PLAIN_WORD_SHARE = 0.6
"""The share of nouns, verbs and adjectives taken from the lists below; the others come from the lexicon."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NAMES = _words(
    """
    Anna Ben Clara David Emma Frank Grace Henry Julia Kevin Laura Martin Nora Oliver Peter Rose Sarah Thomas Victor
    Wendy Joyce Roy Floyd Beige George Judge Theo Ruth Keith Chuck Josh Charlotte Jean Hugh Owen
    """
)
PLACES = _words(
    """
    London Paris Boston Chicago Dublin Madrid Denver Oslo Vienna Toronto Detroit Illinois Asia Persia Georgia Brazil
    Texas Kansas Africa Norway Tokyo Berlin
    """
)
DAYS = _words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
NOUNS = _words(
    """
    apple bird boat book bottle boy box bread bridge brother bucket building cake camera candle captain car cat
    chair child church city clock cloud coat coffee coin corner cousin cup daughter desk doctor dog door dream
    driver engine evening eye face farm farmer father feather field finger fire fish flag floor flower forest friend
    game garden gate gift girl glass glove gold grass hammer hand hat heart hill horse house island jacket job
    journey judge juice key kitchen knife ladder lake lamp leaf leg letter library light lion machine map market
    meal measure milk mirror money moon morning mother mountain mouse mouth music nail neighbor nest night noise
    nurse ocean office oil orange oven page paint pair paper park path pen pencil picture pig pilot pleasure pocket
    poem point pond price queen question rain river road roof room rope sailor salt sand school sea shadow sheep
    ship shirt shoe shop sign sister sky snow soil song soup spoon star station stone storm story street student
    sugar summer sun table teacher thing thumb ticket tooth tower town toy train treasure tree truck uncle valley
    village voice wagon wall watch water weather wheel wind window winter wolf woman wood word work world year boil
    coin choice joint vision usage garage cheek chin thief
    """
)
ADJECTIVES = _words(
    """
    angry bad big bitter black blue brave bright broken brown busy calm careful cheap clean clear clever cold cool
    cruel curious dark deep dirty dry early easy empty fair famous fast fat fine firm flat fresh full funny gentle
    glad good gray great green happy hard heavy high honest hot huge hungry icy kind large late lazy light little
    long loud low lucky mild narrow near neat new noisy old open pale perfect plain pleasant polite poor proud pure
    quick quiet rare red rich ripe rough round royal sad safe sharp short shy sick silent simple slow small smart
    smooth soft sour strange strong sweet tall thick thin tiny tired true ugly usual warm weak wet white whole wide
    wild wise wooden wrong yellow young joyful moist noisy coy smooth rather other northern southern
    """
)
PAST_VERBS = _words(
    """
    asked baked bought broke brought built called carried caught chose cleaned climbed closed counted covered
    crossed drew dropped fed felt fixed followed forgot found gave held helped hid joined kept knew left lifted
    liked lost loved made measured met missed moved needed opened painted passed picked played praised pulled pushed
    raised reached remembered saved saw sent showed sold spoiled stole stopped studied taught thanked threw told
    took touched turned used visited wanted washed watched wished wrote avoided enjoyed pointed annoyed destroyed
    """
)
BASE_VERBS = _words(
    """
    ask bake buy break bring build call carry catch choose clean climb close count cover cross draw drop feed feel
    fix follow forget find give hold help hide join keep know leave lift like lose love make measure meet miss move
    need open paint pass pick play pull push raise reach remember save see send show sell spoil stop study teach
    thank throw tell take touch turn use visit want wash watch wish write avoid enjoy point destroy
    """
)
WAYS = _words(
    """
    again always badly calmly early easily finally gladly hardly here indeed lately loudly never now often once
    quickly quietly rarely seldom slowly softly soon still suddenly there today together tomorrow twice usually well
    yesterday casually thoroughly
    """
)
RELATIONS = _words(
    """
    about above across after against along around at before behind below beside between beyond by down for from in
    inside into near of off on outside over past through to toward under until up with within without
    """
)
PRONOUNS = _words("I you he she it we they")
OBJECTS = _words("me you him her it us them this that these those everything nobody something")
OWNERS = _words("my your his her its our their the a this that each every no some any another")
OPENINGS = (
    *_words("Yes No Well Perhaps Still However Indeed Meanwhile Then Now Today Yesterday Sometimes Oh Please"),
    *("Of course", "At last", "In the end", "After all", "For example", "By the way"),
)
JOINERS = _words("and but or so because while when if although unless since before after until where as though")
ASKERS = _words("who what when where why how")
HELPERS = _words("can could will would shall should must may might")

PATTERNS = (
    "The {adjective} {noun} {past} {owner} {noun} {relation} the {noun}.",
    "{name} {past} {owner} {adjective} {noun} {way}.",
    "{pronoun} {past} {owner} {noun}, {joiner} {pronoun} {past} the {noun} {relation} {place}.",
    "{opening}, the {noun} is {adjective} and {adjective}.",
    "{opening}, {pronoun} {helper} not {base} {object} {relation} {owner} {noun}.",
    "{helper} {pronoun} {base} {owner} {adjective} {noun}?",
    "Did {pronoun} {base} {object} {relation} the {noun}, or {relation} the {noun}?",
    "{asker} did {name} {base} the {noun} {way}?",
    "Is {object} {relation} {owner} {noun}?",
    "Are the {noun} and the {noun} {adjective}?",
    "What a {adjective} {noun}!",
    "{base} {object} {way}!",
    "{base} the {noun} {relation} the {adjective} {noun}.",
    "Do not {base} {owner} {noun} {relation} {number} {noun}s.",
    "There are {number} {noun}s {relation} {owner} {noun}.",
    "There was {object} {relation} {object}, {joiner} {object} was {adjective}.",
    "{name} and {name} went to {place} on {day}, {joiner} {pronoun} {past} a {noun}.",
    "On {day}, {pronoun} {past} {number} {noun}s; {name} {past} only {number}.",
    "I think that {pronoun} {past} {object}, don't you?",
    "{name}'s {noun} isn't {adjective}, it's {adjective}.",
    "{pronoun} {helper} have {past} {object} {joiner} the {noun} was {adjective}.",
    "It is {adjective} to {base} {owner} {noun} {way}.",
    "{pronoun}'ll {base} an {noun} or a {noun} for {name}.",
    "They weren't {adjective}, {joiner} we couldn't {base} {owner} {noun}.",
    "The {noun} of the {noun} {past} {object} {way}, {way}, and {way}.",
    "Two {noun}s, three {noun}s, and a {adjective} {noun}: that was {object}.",
    "The price was {number} dollars and {number} cents!",
    "Chapter {number}, page {number}.",
    "In {year}, {name} {past} {owner} {noun} {relation} {place}.",
    "{opening}! {pronoun} {past} {object} {relation} {owner} {adjective} {noun}!",
)
WORD_PATTERNS = (
    "The word {lexicon} is not the same as {lexicon}.",
    "Please say {lexicon}, {lexicon}, and {lexicon}.",
    "Can you spell {lexicon} or {lexicon}?",
    "He wrote {lexicon} {lexicon} {lexicon} on the board.",
    "{name} said that the {lexicon} was {lexicon}, but {name} did not agree.",
    "A {lexicon} and a {lexicon}; a {lexicon}, too!",
    "We {past} the {lexicon} {noun} {relation} the {lexicon}.",
    "{lexicon}, {lexicon}: {lexicon}.",
    "Is it {lexicon}, {lexicon}, or {lexicon}?",
    "First {lexicon} {relation} {lexicon}, then {lexicon} {lexicon}.",
)
WORD_PATTERN_SHARE = 0.45
MAX_CHARACTERS = 110


@dataclass(frozen=True)
class PromptLexicon:
    """Words of misaki's US dictionary, all and by symbol."""

    words: tuple[str, ...]
    by_symbol: Mapping[str, tuple[str, ...]]


def load_lexicon() -> PromptLexicon:
    """Load plain lowercase words of misaki's US dictionary with the symbols of their first pronunciation."""
    text = resources.files("misaki.data").joinpath("us_gold.json").read_text(encoding="utf-8")
    words = []
    by_symbol = defaultdict(list)
    for word, entry in json.loads(text).items():
        pronunciation = entry if isinstance(entry, str) else entry["DEFAULT"]
        if pronunciation and re.fullmatch("[a-z]{3,11}", word):
            words.append(word)
            for symbol in set(normalized(pronunciation)):
                by_symbol[symbol].append(word)
    return PromptLexicon(tuple(words), {symbol: tuple(found) for symbol, found in by_symbol.items()})


def prompts(count: int, seed: int | str, lexicon: PromptLexicon, max_characters: int = MAX_CHARACTERS) -> list[str]:
    """Return `count` different sentences; the same seed yields the same sentences, none of them held out."""
    chance = random.Random(seed)
    fillers = _fillers(chance, lexicon)
    taken = set(HELD_OUT_SENTENCES)
    sentences: list[str] = []
    while len(sentences) < count:
        patterns = WORD_PATTERNS if chance.random() < WORD_PATTERN_SHARE else PATTERNS
        sentence = _fill(chance.choice(patterns), fillers)
        if sentence not in taken and len(sentence) <= max_characters:
            taken.add(sentence)
            sentences.append(sentence)
    return sentences


def missing_symbols(phonemes: Iterable[str]) -> frozenset[str]:
    """Return the symbols of US English that none of the phoneme strings has."""
    return US_SYMBOLS - frozenset().union(*map(frozenset, phonemes))


def normalized(pronunciation: str) -> str:
    """Convert a lexicon entry to the output of misaki's G2P: the flap is T, the glottal stop t."""
    return pronunciation.replace("ɾ", "T").replace("ʔ", "t")


def _fillers(chance: random.Random, lexicon: PromptLexicon) -> dict[str, Callable[[], str]]:
    def one_of(words: Sequence[str]) -> Callable[[], str]:
        return lambda: chance.choice(words)

    def lexicon_word() -> str:
        rare = chance.random() < RARE_SHARE
        return chance.choice(lexicon.by_symbol[chance.choice(RARE_SYMBOLS)] if rare else lexicon.words)

    def plain_or_lexicon(words: Sequence[str]) -> Callable[[], str]:
        return lambda: chance.choice(words) if chance.random() < PLAIN_WORD_SHARE else lexicon_word()

    return {
        "noun": plain_or_lexicon(NOUNS),
        "adjective": plain_or_lexicon(ADJECTIVES),
        "past": one_of(PAST_VERBS),
        "base": one_of(BASE_VERBS),
        "way": one_of(WAYS),
        "relation": one_of(RELATIONS),
        "pronoun": one_of(PRONOUNS),
        "object": one_of(OBJECTS),
        "owner": one_of(OWNERS),
        "opening": one_of(OPENINGS),
        "joiner": one_of(JOINERS),
        "asker": one_of(ASKERS),
        "helper": one_of(HELPERS),
        "name": one_of(NAMES),
        "place": one_of(PLACES),
        "day": one_of(DAYS),
        "lexicon": lexicon_word,
        "number": lambda: str(chance.choice([chance.randint(0, 20), chance.randint(20, 99), chance.randint(100, 999)])),
        "year": lambda: str(chance.randint(1700, 2040)),
    }


def _fill(pattern: str, fillers: Mapping[str, Callable[[], str]]) -> str:
    filled = re.sub(r"\{(\w+)\}", lambda slot: fillers[slot.group(1)](), pattern)
    return filled[0].upper() + filled[1:]


HARVARD_SENTENCES = (
    "The birch canoe slid on the smooth planks.",
    "Glue the sheet to the dark blue background.",
    "It's easy to tell the depth of a well.",
    "These days a chicken leg is a rare dish.",
    "Rice is often served in round bowls.",
    "The juice of lemons makes fine punch.",
    "The box was thrown beside the parked truck.",
    "The hogs were fed chopped corn and garbage.",
    "Four hours of steady work faced us.",
    "A large size in stockings is hard to sell.",
    "The boy was there when the sun rose.",
    "A rod is used to catch pink salmon.",
    "The source of the huge river is the clear spring.",
    "Kick the ball straight and follow through.",
    "Help the woman get back to her feet.",
    "A pot of tea helps to pass the evening.",
    "Smoky fires lack flame and heat.",
    "The soft cushion broke the man's fall.",
    "The salt breeze came across from the sea.",
    "The girl at the booth sold fifty bonds.",
    "The small pup gnawed a hole in the sock.",
    "The fish twisted and turned on the bent hook.",
    "Press the pants and sew a button on the vest.",
    "The swan dive was far short of perfect.",
    "The beauty of the view stunned the young boy.",
    "Two blue fish swam in the tank.",
    "Her purse was full of useless trash.",
    "The colt reared and threw the tall rider.",
    "It snowed, rained, and hailed the same morning.",
    "Read verse out loud for pleasure.",
    "Hoist the load to your left shoulder.",
    "Take the winding path to reach the lake.",
    "Note closely the size of the gas tank.",
    "Wipe the grease off his dirty face.",
    "Mend the coat before you go out.",
    "The wrist was badly strained and hung limp.",
    "The stray cat gave birth to kittens.",
    "The young girl gave no clear response.",
    "The meal was cooked before the bell rang.",
    "What joy there is in living.",
)
"""Forty of the public IEEE list ("Harvard sentences", 1969)."""
HELD_OUT_SENTENCES = (
    *HARVARD_SENTENCES,
    "A thin fog rolled over the harbor before breakfast.",
    "The violin needs new strings by Thursday.",
    "Nobody noticed that the ladder had been moved.",
    "She kept every postcard in a shoe box.",
    "Turn left at the bakery, then cross the bridge.",
    "My neighbor grows tomatoes on her balcony.",
    "How far is it from here to the coast?",
    "The elevator was out of order again.",
    "He whistled a tune that I had never heard.",
    "Our flight was delayed by heavy snow.",
    "The museum closes at five on Sundays.",
    "Put the kettle on and sit down for a while.",
    "The engineer checked each bolt twice.",
    "Autumn leaves covered the gravel path.",
    "Would you rather have soup or salad?",
    "The dentist told him to brush more gently.",
    "A brass lantern hung above the cellar door.",
    "They painted the fence a cheerful yellow.",
    "The lecture began with a short joke.",
    "I have lost my glasses somewhere in the attic.",
    "The bakery smelled of cinnamon and butter.",
    "Nine runners finished before the rain came.",
    "Please leave your boots outside the tent.",
    "The choir practised until the candles burned low.",
    "What time does the next ferry leave?",
    "An owl called twice from the old oak.",
    "The surgeon washed her hands with care.",
    "His handwriting is almost impossible to read.",
    "We shared a blanket and watched the meteors.",
    "The clerk stamped both copies of the form.",
    "Fresh paint made the tiny kitchen look larger.",
    "Can anyone explain why the lights went out?",
    "The puppy chewed the corner of the carpet.",
    "Her speech was brief, honest, and very funny.",
    "Bring a warm scarf, because the wind is sharp.",
    "The chess match ended in a quiet draw.",
    "A rusty gate creaked at the edge of the orchard.",
    "The pharmacist counted the tablets slowly.",
    "Two violins and a cello filled the hall with music.",
    "Keep the receipt in case the toaster breaks.",
    "The miners came home with dust on their sleeves.",
    "I would not trade this view for anything.",
    "The caravan crossed the desert at night.",
    "Lemon and honey will soothe your throat.",
    "The judge adjourned the hearing until noon.",
    "Why did the caterpillar refuse the lettuce?",
    "An extra pillow is in the hall closet.",
    "The sculptor chipped away at the marble.",
    "Our cousins arrived with far too many suitcases.",
    "The tide carried the bottle out of sight.",
    "Strong coffee kept the night watchman awake.",
    "The recipe calls for a pinch of nutmeg.",
    "A sudden gust blew his hat into the canal.",
    "The twins argued over the window seat.",
    "Every shelf in the workshop was labeled.",
    "The comet will not return for seventy years.",
    "He folded the map and put it in his coat.",
    "The waitress balanced six plates on one arm.",
    "Did the gardener remember to water the ferns?",
    "The old clock struck eleven, and everyone laughed.",
)
"""Those forty and sixty of ours."""
