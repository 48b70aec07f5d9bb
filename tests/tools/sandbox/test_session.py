"""A chat's Python over several calls: what is kept, what is told, how it ends."""

import asyncio
import time
from pathlib import Path

import pytest

from tests.tools.sandbox.conftest import LIMITS, confined_processes, new_chat, until
from tools.sandbox import PythonSession, Sandbox
from tools.sandbox.outcome import ANEW, GONE, KEPT

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def value_of(session: PythonSession, code: str) -> str | None:
    outcome = await session.run(code)
    assert outcome.error is None, outcome.error
    return outcome.value


async def test_variables_functions_and_imports_are_kept(session: PythonSession) -> None:
    assert await value_of(session, "import math\nx = 40\ndef twice(n): return 2 * n") is None
    assert await value_of(session, "twice(x) + math.floor(2.5)") == "82"


async def test_text_of_all_streams_and_the_last_value_come_back(session: PythonSession) -> None:
    code = "import os, sys\nprint('out')\nprint('err', file=sys.stderr)\nos.write(1, b'raw\\n')\n{'a': 1}"
    outcome = await session.run(code)
    assert outcome.printed == "out\nerr\nraw\n"
    assert outcome.value == "{'a': 1}"


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("1;", "1"),
        ("x = 5", None),
        ("None", None),
        ("for i in range(3): i", None),
        ("", None),
        ("# only a remark", None),
        ("'中文 🎉'", "'中文 🎉'"),
        ("'\\ud800'", "'\\ud800'"),
        ("%matplotlib inline\n!pip install x\n3", "3"),
        ("class A:\n    def __repr__(self): return 'mine'\nA()", "mine"),
        ("import asyncio\nasync def f(): return 7\nasyncio.run(f())", "7"),
        ("if True:\n    !pip install x\n    y = 4\ny", "4"),
        ("%time 1\nlines = '''\n%d items\n!mark\n'''\nlines", "'\\n%d items\\n!mark\\n'"),
        ("import asyncio\nasync def f(n): return n\nawait asyncio.gather(f(1), f(2))", "[1, 2]"),
        ("async def g():\n    yield 5\nasync for n in g(): m = n\nm", "5"),
        ("from pathlib import Path\nPath('new.txt').touch()\nPath('new.txt').exists()", "True"),
        ("x = []\nx.append(x)\nx", "[[...]]"),
        ("class H:\n    def __repr__(self): return 'half \\ud800'\nH()", "half ?"),
        ("import pickle\nclass P: pass\ntype(pickle.loads(pickle.dumps(P()))).__name__", "'P'"),
        ("from dataclasses import dataclass\n@dataclass\nclass D:\n    a: int\nD(1)", "D(a=1)"),
        ("import sqlite3, tempfile, zoneinfo, ssl, json\nstr(zoneinfo.ZoneInfo('Asia/Shanghai'))", "'Asia/Shanghai'"),
        ("from concurrent.futures import ThreadPoolExecutor as T\nsum(T(4).map(abs, range(-9, 9)))", "81"),
    ],
)
async def test_code_gives_what_a_notebook_gives(session: PythonSession, code: str, value: str | None) -> None:
    assert await value_of(session, code) == value


async def test_an_error_shows_the_code_s_own_lines_and_keeps_the_variables(session: PythonSession) -> None:
    outcome = await session.run("import json\nkept = 1\ndef load(text):\n    return json.loads(text)\nload('{')")
    assert outcome.error is not None
    assert "return json.loads(text)" in outcome.error
    assert outcome.error.splitlines()[-1].startswith("json.decoder.JSONDecodeError: Expecting property name")
    assert "decoder.py" not in outcome.error
    assert "inside" not in outcome.error
    assert await value_of(session, "kept") == "1"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("if True print(1)", "SyntaxError"),
        ("unknown", "NameError: name 'unknown' is not defined"),
        ("import not_there", "Nothing can be installed here"),
        ("input('?')", "Nobody can type anything in here"),
        ("import subprocess\nsubprocess.run(['ls'])", "No other process can be started here"),
        ("from multiprocessing import Pool\nPool(2)", "No other process can be started here"),
        ("import urllib.request\nurllib.request.urlopen('http://example.com')", "There is no network here"),
        ("raise ValueError('half \\udcff')", "ValueError: half ?"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("exit()", "SystemExit"),
        ("class E(Exception):\n    def __str__(self): raise ValueError\nraise E", "E"),
        ("raise ExceptionGroup('g', [ValueError('inner')])", "g (1 sub-exception)"),
    ],
)
async def test_an_error_is_told_in_python_s_words(session: PythonSession, code: str, words: str) -> None:
    outcome = await session.run(code)
    assert words in (outcome.error or "")
    assert await value_of(session, "1") == "1"


async def test_files_go_in_and_out(sandbox: Sandbox, chats: Path) -> None:
    folder = new_chat(chats)
    (folder / "in.csv").write_text("a,b\n1,2\n", "utf-8")
    session = sandbox.session(folder)
    outcome = await session.run("text = open('in.csv').read()\nopen('out.txt', 'w').write(text.upper())")
    assert outcome.files == ("out.txt",)
    assert (folder / "out.txt").read_text("utf-8") == "A,B\n1,2\n"
    (folder / "later.txt").write_text("later", "utf-8")
    outcome = await session.run(
        "import os\nos.makedirs('plots')\nopen('later.txt', 'a').write('!')\nopen('plots/x.txt', 'w').close()"
    )
    assert outcome.error is None
    assert outcome.files == ("later.txt", "plots/x.txt")
    assert (await session.run("1")).files == ()
    await session.close()


async def test_chats_do_not_share_variables(sandbox: Sandbox, chats: Path) -> None:
    one, other = sandbox.session(new_chat(chats)), sandbox.session(new_chat(chats))
    await one.run("secret = 1\nimport math\nmath.pi = 3")
    outcome = await other.run("import math\nprint(math.pi)\nsecret")
    assert outcome.printed.startswith("3.14")
    assert "NameError" in (outcome.error or "")
    await one.close()
    await other.close()


async def test_stop_kills_within_a_second_and_the_chat_goes_on(sandbox: Sandbox, chats: Path) -> None:
    others = confined_processes()
    folder = new_chat(chats)
    session = sandbox.session(folder)
    await session.run("import signal, threading, time\nx = 1\nsignal.signal(signal.SIGINT, signal.SIG_IGN)")
    own = confined_processes() - others
    burning = "open('started', 'w').close()\nthreading.Thread(target=time.sleep, args=(99,)).start()\nwhile 1: pass"
    call = asyncio.create_task(session.run(burning))
    await until((folder / "started").exists, within_s=20)
    stopped_at = time.monotonic()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await until(lambda: not own & confined_processes(), within_s=1)
    assert time.monotonic() - stopped_at < 1
    assert own
    outcome = await session.run("x")
    assert outcome.notices == (ANEW,)
    assert "NameError" in (outcome.error or "")
    await session.close()


async def test_threads_left_behind_rest_between_calls(sandbox: Sandbox, chats: Path) -> None:
    others = confined_processes()
    session = sandbox.session(new_chat(chats))
    await session.run(
        "import hashlib, threading\ncount = 0\ndef burn():\n    global count\n    while True:\n"
        "        hashlib.sha256(b'x' * 9999).digest(); count += 1\n"
        "for _ in range(3): threading.Thread(target=burn, daemon=True).start()"
    )
    own = confined_processes() - others
    await until(lambda: any(state_of(pid)[0] == "T" for pid in own), within_s=5)
    (confined,) = (pid for pid in own if state_of(pid)[0] == "T")
    used = state_of(confined)[11:13]
    await asyncio.to_thread(time.sleep, 0.3)
    assert state_of(confined)[11:13] == used
    assert int(await value_of(session, "count") or 0) > 0
    await session.close()


def state_of(pid: int) -> list[str]:
    """The fields of /proc/<pid>/stat behind the name: the state first, the processor time 11 further on."""
    return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()


async def test_a_forged_result_harms_nobody_but_its_own_call(session: PythonSession) -> None:
    forged = await session.run(
        "import gc, sys\nchannel = next(o for o in gc.get_objects() if type(o).__name__ == 'Channel')\n"
        "frame = sys._getframe()\nwhile 'request' not in frame.f_locals: frame = frame.f_back\n"
        "channel.send({'token': frame.f_locals['request']['token'], 'value': 'forged'})\n"
        "channel.send({'token': 'x', 'value': 'for the next call'})\nwhile True: pass"
    )
    assert forged.value == "forged"
    following = await session.run("1")
    assert following.value is None
    assert GONE in (following.error or "")
    assert await value_of(session, "2") == "2"


async def test_code_too_long_is_refused_before_it_is_run(session: PythonSession) -> None:
    assert "too long" in ((await session.run("x = 1\n" * 20_000)).error or "")
    assert await value_of(session, f"len({'y' * 40_000!r})") == "40000"


async def test_too_much_memory_keeps_the_variables_where_it_can(session: PythonSession) -> None:
    await session.run("kept = 1")
    small = await session.run("bytearray(10 ** 11)")
    assert KEPT in (small.error or "")
    assert f"{LIMITS.memory_mb:,} MB" in (small.error or "")
    assert await value_of(session, "kept") == "1"
    held = await session.run("blocks = []\nwhile True: blocks.append(bytearray(1 << 28))")
    assert GONE in (held.error or "")
    assert await value_of(session, "2") == "2"
