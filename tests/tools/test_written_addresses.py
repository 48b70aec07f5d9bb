import time

import pytest

from tools.written_addresses import WrittenAddresses


@pytest.mark.parametrize(
    ("message", "known", "unknown"),
    [
        ("Read https://a.example/b?c=1.", ["https://a.example/b?c=1"], ["https://a.example/b?c=12", "https://a.example/b"]),
        ("(see https://a.example/b)", ["https://a.example/b"], ["http://a.example/b", "https://a.example/"]),
        ("what is on a.example?", ["https://a.example", "http://a.example/"], ["https://b.a.example", "https://a.example/x"]),
        ("请看https://a.example/北京，谢谢", ["https://a.example/北京"], ["https://a.example/北京，谢谢"]),
        ("HTTP://a.example:8080/x and b.example/y", ["http://a.example:8080/x", "https://b.example/y"], ["http://a.example/x"]),
        ("[that](https://a.example/x_(y))", ["https://a.example/x_(y))", "https://a.example/x_(y"], ["https://a.example/x"]),
        ("3.5 litres, e.g. none", [], ["https://3.5/", "https://e.g/"]),
        ("访问a.example的主页", [], ["https://a.example的/"]),
        ("", [], ["https://a.example/", "", "://", "nonsense"]),
    ],
)  # fmt: skip
def test_only_what_the_person_wrote_is_known(message: str, known: list[str], unknown: list[str]) -> None:
    written = WrittenAddresses()
    written.note("Hello.")
    written.note(message)
    assert [address for address in known if not written.knows(address)] == []
    assert [address for address in unknown if written.knows(address)] == []


@pytest.mark.parametrize("piece", ["a", "a.", "a-", "中", "1.", "a.b", "http://"])
def test_a_long_message_is_read_in_a_moment(piece: str) -> None:
    began = time.process_time()
    WrittenAddresses().note(piece * 30_000)
    assert time.process_time() - began < 2
