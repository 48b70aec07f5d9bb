from collections.abc import Sequence

import pytest

from tests.tools.service_samples import OPEN_METEO_PLACES
from tools.weather.places import (
    Place,
    PlaceNotFoundError,
    country_code,
    find_place,
    is_in,
    language_of,
    plain,
    readings,
    state_of,
)


def place_from(sample: dict[str, object]) -> Place:
    return Place(
        name=str(sample["name"]),
        latitude=1,
        longitude=2,
        country_code=str(sample["country_code"]),
        country=str(sample["country"]),
        region=str(sample["admin1"]),
        population=int(str(sample.get("population", 0))),
        is_capital=sample["feature_code"] == "PPLC",
    )


async def search(name: str, _regions: tuple[str, ...]) -> Sequence[Place]:
    return [place_from(sample) for sample in OPEN_METEO_PLACES.get(name, [])]


@pytest.mark.parametrize(
    ("asked", "label"),
    [
        ("Oslo", "Oslo (Oslo County, Norway)"),
        ("  Oslo ", "Oslo (Oslo County, Norway)"),
        ("Paris", "Paris (Île-de-France, France)"),
        ("Paris, Texas", "Paris (Texas, United States)"),
        ("Paris, TX", "Paris (Texas, United States)"),
        ("Paris, TX, US", "Paris (Texas, United States)"),
        ("Paris, tx usa", "Paris (Texas, United States)"),
        ("Paris, TX 75460", "Paris (Texas, United States)"),
        ("Paris (Texas)", "Paris (Texas, United States)"),
        ("Paris Texas", "Paris (Texas, United States)"),
        ("Paris United States", "Paris (Texas, United States)"),
        ("Paris，法国", "Paris (Île-de-France, France)"),
        ("Paris, France", "Paris (Île-de-France, France)"),
        ("Paris, ile de france", "Paris (Île-de-France, France)"),
        ("Paris, U.S.A.", "Paris (Texas, United States)"),
        ("Paris, Philippines", "Paris (Visayas, Philippines)"),
        ("Springfield", "Springfield (Missouri, United States)"),
        ("Springfield, IL", "Springfield (Illinois, United States)"),
        ("Springfield, Illinois, USA", "Springfield (Illinois, United States)"),
        ("Springfield, Australia", "Springfield (Queensland, Australia)"),
        ("北京", "北京市 (中国)"),
        ("北京市", "北京市 (中国)"),
        ("中国北京", "北京市 (中国)"),
        ("中国，北京", "北京市 (中国)"),
        ("北京，中国", "北京市 (中国)"),
        ("成都", "成都市 (四川, 中国)"),
        ("四川成都", "成都市 (四川, 中国)"),
        ("四川省成都市", "成都市 (四川, 中国)"),
        ("Wien", "Vienna (Austria)"),
        ("San Jose", "San Jose (California, United States)"),
        ("San Jose, Costa Rica", "San José (Costa Rica)"),
        ("Hamilton", "Hamilton (Ontario, Canada)"),
        ("Hamilton, ON", "Hamilton (Ontario, Canada)"),
        ("Hamilton, CA", "Hamilton (Ontario, Canada)"),
    ],
)
async def test_the_place_that_people_mean_is_found(asked: str, label: str) -> None:
    assert (await find_place(search, asked)).place.label == label


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("Nowhere", set()),
        ("", set()),
        (" , ", set()),
        ("Oslo, France", {"Oslo (Minnesota, United States)", "Oslo (Oslo County, Norway)"}),
        ("Qwertzu", {"Qwertzendorf (Saxony, Germany)"}),
    ],
)
async def test_what_is_not_found_is_not_guessed(asked: str, near: set[str]) -> None:
    with pytest.raises(PlaceNotFoundError) as caught:
        await find_place(search, asked)
    assert {place.label for place in caught.value.near} == near


async def test_others_of_the_name_are_told_when_they_might_be_meant() -> None:
    springfield = await find_place(search, "Springfield")
    assert [place.region for place in springfield.others] == ["Illinois", "Oregon"]
    assert (await find_place(search, "Springfield, MO")).others == ()
    assert (await find_place(search, "Paris")).others == ()


@pytest.mark.parametrize("asked", ["Stow on the Wold", "a b c d e f g", "四川省成都市锦江区", "黑龙江哈尔滨"])
def test_a_name_is_read_in_few_ways(asked: str) -> None:
    assert 1 <= len(readings(asked)) <= 3


@pytest.mark.parametrize(
    ("region", "state", "country", "inside"),
    [
        ("CA", "California", "US", True),
        ("CA", "Ontario", "CA", True),
        ("DC", "District of Columbia", "US", True),
        ("D.C.", "Washington, D.C.", "US", False),
        ("Quebec", "Québec", "CA", True),
        ("UK", "England", "GB", True),
        ("England", "England", "GB", True),
        ("England", "Scotland", "GB", False),
        ("Georgia", "Georgia", "US", True),
        ("Georgia", "T'bilisi", "GE", True),
        ("TX", "Ontario", "CA", False),
        ("四川", "四川省", "CN", True),
    ],
)
def test_regions_by_name_and_code(region: str, state: str, country: str, *, inside: bool) -> None:
    place = Place(name="X", latitude=0, longitude=0, country_code=country, region=state)
    assert is_in(place, region) is inside


def test_codes_and_languages() -> None:
    assert (country_code("de"), country_code("Germany"), country_code("中国"), country_code("Gaul")) == (
        "DE",
        "DE",
        "CN",
        None,
    )
    assert (state_of("tx"), state_of("Québec"), state_of("Bavaria")) == (("TX", "US"), ("QC", "CA"), None)
    assert [language_of(text) for text in ("Oslo", "北京", "東京とうきょう", "서울", "Москва")] == [
        "en",
        "zh",
        "ja",
        "ko",
        "ru",
    ]
    assert plain(" St. Gallen ") == plain("st gallen")
