"""Which place is meant: reading what was asked, and choosing among the places that a geocoder found.

Knows no service: a search for a name is passed in.
"""

import re
import unicodedata
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tools.weather.regions import COUNTRIES, OTHER_WORDS, STATES

_SEPARATORS = re.compile(r"[,，、;；()（）]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_HAN_KIND = re.compile(r"(?<=..)(?:特别行政区|自治区|市|省|县|區|区|縣)$")
_HAN_WITHIN = re.compile(r"(.+?(?:特别行政区|自治区|共和国|省|国|州|市))(.{2,})$")
_SCRIPTS = {"ja": r"[\u3040-\u30ff]", "zh": r"[\u4e00-\u9fff]", "ko": r"[\uac00-\ud7af]", "ru": r"[\u0400-\u04ff]"}

NOTABLE = 100_000
"""A place of so many people is taken without looking further."""
DOUBTFUL = 10_000
"""A smaller place of another name than the one asked for is only suggested: the geocoder may have guessed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place as a geocoder knows it. `population` is None where the geocoder never says, 0 where it is unknown."""

    name: str
    latitude: float
    longitude: float
    country_code: str
    country: str = ""
    region: str = ""
    within: tuple[str, ...] = ()
    other_names: tuple[str, ...] = ()
    population: int | None = None
    is_capital: bool = False

    @property
    def label(self) -> str:
        """The name with region and country, as people tell places of one name apart."""
        country = self.country or COUNTRIES.get(self.country_code, self.country_code)
        around = [part for part in (self.region, country) if part and part != self.name]
        return f"{self.name} ({', '.join(around)})" if around else self.name


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read what was asked: a name in its spellings, in all of these regions."""

    spellings: tuple[str, ...]
    regions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """The place that is meant, and others of that name that might have been."""

    place: Place
    others: tuple[Place, ...]


class PlaceNotFoundError(LookupError):
    """No place fits. `near` are those of a like name."""

    def __init__(self, near: tuple[Place, ...]) -> None:
        super().__init__("place not found")
        self.near = near


Search: TypeAlias = Callable[[str, tuple[str, ...]], Awaitable[Sequence[Place]]]
"""Asks a geocoder for a name; the regions help those that can use them."""


async def find_place(search: Search, asked: str) -> Found:
    """The place that `asked` most likely means.

    Raises:
        PlaceNotFoundError: nothing of that name, or nothing in the region that was named.
    """
    near: list[Place] = []
    for reading in readings(asked):
        places = await _search(search, reading)
        ranked = rank(places, reading)
        if ranked and not _is_doubtful(ranked[0], reading):
            return Found(ranked[0], _rivals(ranked, reading))
        near += places
    raise PlaceNotFoundError(tuple({place.label: place for place in near}.values()))


def readings(asked: str) -> list[Reading]:
    """The ways to read a place as people write it, likeliest first: "Paris, TX", "Paris Texas", "四川成都"."""
    parts = [part.strip() for part in _SEPARATORS.split(asked) if part.strip()]
    if not parts:
        return []
    name, *regions = parts
    if regions:
        return [_reading(name, *regions), _reading(parts[-1], *parts[:-1])]
    if _HAN.search(name):
        return [_reading(name), *_han_readings(name)]
    words = name.split()
    cuts = range(len(words) - 1, max(len(words) - 3, 0), -1)
    return [_reading(name), *(_reading(" ".join(words[:cut]), " ".join(words[cut:])) for cut in cuts)]


def rank(places: Sequence[Place], reading: Reading) -> list[Place]:
    """Those in the regions that were named, likeliest first: by people, capitals and the same name preferred."""
    inside = [place for place in places if all(is_in(place, region) for region in reading.regions)]
    return sorted(inside, key=lambda place: _weight(place, reading), reverse=True)


def is_in(place: Place, region: str) -> bool:
    """Whether the place lies in a region given by name or code, or by several, as in "IL USA"."""
    return _is_in(place, region) or (" " in region and all(_is_in(place, word) for word in region.split()))


def country_code(name: str) -> str | None:
    """The code of a country given by code or name, or None."""
    code = plain(name).upper()
    return code if code in COUNTRIES else _COUNTRY_CODES.get(plain(name))


def state_of(name: str) -> tuple[str, str] | None:
    """Code and country of a state of the US or Canada given by code or name, or None."""
    wanted = plain(name)
    matches = (code for code, (state, _) in STATES.items() if wanted in (code.lower(), plain(state)))
    code = next(matches, None)
    return (code, STATES[code][1]) if code else None


def language_of(text: str) -> str:
    """The language, by its script, in which a geocoder should name what it finds."""
    return next((language for language, script in _SCRIPTS.items() if re.search(script, text)), "en")


def plain(text: str) -> str:
    """The text without case, accents, dots, hyphens, apostrophes and the Chinese word for the kind of place."""
    letters = unicodedata.normalize("NFKD", text.strip().replace("-", " "))
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter) and letter not in ".'’")
    return _HAN_KIND.sub("", bare.casefold())


_COUNTRY_CODES = {plain(name): code for code, name in COUNTRIES.items()} | OTHER_WORDS


def _reading(name: str, *regions: str) -> Reading:
    bare = _HAN_KIND.sub("", name)
    other = f"{name}市" if _HAN.search(name) and bare == name else bare
    named = tuple(region for region in (re.sub(r"\d+", "", region).strip() for region in regions) if region)
    return Reading(tuple(dict.fromkeys((name, other))), named)


def _han_readings(name: str) -> list[Reading]:
    if marked := _HAN_WITHIN.match(name):
        return [_reading(marked[2], marked[1])]
    return [_reading(name[cut:], name[:cut]) for cut in (2, 3) if len(name) >= cut + 2]


async def _search(search: Search, reading: Reading) -> list[Place]:
    places: list[Place] = []
    for spelling in reading.spellings:
        places += await search(spelling, reading.regions)
        ranked = rank(places, reading)
        if ranked and _is_notable(ranked[0]):
            break
    return places


def _is_in(place: Place, region: str) -> bool:
    wanted = plain(region)
    names = [plain(name) for name in (place.region, place.country, *place.within) if name]
    if wanted in names or country_code(region) == place.country_code:
        return True
    if _HAN.search(wanted) and any(name.startswith(wanted) for name in names):
        return True
    state = state_of(region)
    return state is not None and state == state_of(place.region) and state[1] == place.country_code


def _is_exact(place: Place, reading: Reading) -> bool:
    wanted = {plain(spelling) for spelling in reading.spellings}
    return any(plain(name) in wanted for name in (place.name, *place.other_names))


def _is_notable(place: Place) -> bool:
    return place.is_capital or place.population is None or place.population >= NOTABLE


def _is_doubtful(place: Place, reading: Reading) -> bool:
    known_small = place.population is not None and place.population < DOUBTFUL
    return known_small and not place.is_capital and not _is_exact(place, reading)


def _weight(place: Place, reading: Reading) -> int:
    people = place.population or (500_000 if place.is_capital else 1)
    return people * (3 if place.is_capital else 1) * (100 if _is_exact(place, reading) else 1)


def _rivals(ranked: list[Place], reading: Reading) -> tuple[Place, ...]:
    """Others of the name, at most three, unless a region was named or the first is far greater."""
    best = ranked[0]
    close = [place for place in ranked[1:] if _weight(place, reading) * 20 >= _weight(best, reading)]
    labels = {place.label: place for place in close if place.label != best.label}
    return () if reading.regions else tuple(labels.values())[:3]
