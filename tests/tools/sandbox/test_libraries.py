"""What people compute with works, and is shown without the model's help."""

import struct
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.tools.sandbox.conftest import new_chat
from tools.cards import PictureCard, PlotlyCard, TableCard
from tools.sandbox import Outcome, PythonSession, Sandbox

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def session(sandbox: Sandbox, chats: Path) -> AsyncIterator[PythonSession]:
    """One for the whole file: what takes long is to import the libraries."""
    own = sandbox.session(new_chat(chats))
    yield own
    await own.close()


def png_size(card: object) -> tuple[int, int]:
    assert isinstance(card, PictureCard)
    assert card.png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", card.png[16:24])
    return width, height


async def shown(session: PythonSession, code: str) -> Outcome:
    outcome = await session.run(code)
    assert outcome.error is None, outcome.error
    return outcome


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("import numpy as np\nfloat(np.linalg.det(np.eye(50)))", "1.0"),
        ("import numpy as np\nnp.random.default_rng(0).normal(size=(400, 400)).shape", "(400, 400)"),
        ("from scipy import stats, optimize, integrate\nround(float(stats.norm.cdf(1.96)), 3)", "0.975"),
        ("import sympy as sp\nx = sp.symbols('x')\nsp.integrate(sp.sin(x) * x, x)", "-x*cos(x) + sin(x)"),
        (
            "from sklearn.datasets import load_iris\nfrom sklearn.ensemble import RandomForestClassifier\n"
            "data = load_iris()\nRandomForestClassifier(20, random_state=0, n_jobs=-1).fit(data.data, data.target)"
            ".score(data.data, data.target) > 0.9",
            "True",
        ),
        (
            "from sklearn.cluster import KMeans\nimport numpy as np\n"
            "len(set(KMeans(3, n_init=1).fit_predict(np.random.default_rng(0).normal(size=(90, 2)))))",
            "3",
        ),
        ("import pandas as pd\npd.DataFrame({'a': [1, 2]}).to_csv('t.csv')\nlen(pd.read_csv('t.csv'))", "2"),
    ],
    ids=["linear algebra", "random numbers", "scipy", "sympy", "forest", "clusters", "csv"],
)
async def test_a_library_computes(session: PythonSession, code: str, value: str) -> None:
    outcome = await shown(session, code)
    assert outcome.value == value
    assert outcome.printed == ""


@pytest.mark.parametrize(
    "code",
    [
        "import matplotlib.pyplot as plt\nplt.plot([1, 2], label='up')\nplt.title('Sales')\nplt.xlabel('month')\n"
        "plt.ylabel('euro')\nplt.legend()",
        "import matplotlib.pyplot as plt\nplt.plot([1, 2], label='up')\nplt.title('Sales')\nplt.xlabel('month')\n"
        "plt.ylabel('euro')\nplt.legend()\nplt.show()",
        "import matplotlib\nmatplotlib.use('TkAgg')\nimport matplotlib.pyplot as plt\nmatplotlib.use('Agg')\n"
        "fig, ax = plt.subplots()\nax.plot([1, 2], label='up')\nax.set(title='Sales', xlabel='month', ylabel='euro')\n"
        "ax.legend()\nfig.show()",
    ],
    ids=["left open", "shown", "shown by itself, with a wish for a window"],
)
async def test_a_figure_is_shown_once_with_words_for_it(session: PythonSession, code: str) -> None:
    outcome = await shown(session, code)
    (card,) = outcome.figures
    assert png_size(card)[0] > 500
    assert card.alt == "Sales; x: month; y: euro; up"
    assert outcome.value is None
    assert outcome.printed == ""
    assert (await shown(session, "1")).figures == ()


async def test_each_show_is_a_figure_of_its_own_in_order(session: PythonSession) -> None:
    code = "import matplotlib.pyplot as plt\nfor n in 'abc':\n    plt.plot([1, 2]); plt.title(n); plt.show()"
    assert [card.alt for card in (await shown(session, code)).figures] == ["a", "b", "c"]


async def test_figures_of_other_libraries_are_shown(session: PythonSession) -> None:
    code = (
        "import numpy as np, pandas as pd, seaborn as sns\nsns.set_theme()\n"
        "df = pd.DataFrame({'x': np.arange(50), 'y': np.random.default_rng(0).normal(size=50)})\n"
        "sns.kdeplot(df.y).set_title('density')\ndf.plot(title='lines')"
    )
    assert [card.alt for card in (await shown(session, code)).figures] == ["density; x: y; y: Density", "lines; x, y"]


async def test_chinese_is_drawn_and_not_boxes_whatever_font_is_asked_for(session: PythonSession) -> None:
    drawn = (
        "import matplotlib.pyplot as plt, numpy as np\ndef ink(text):\n    fig = plt.figure(figsize=(2, 1))\n"
        "    fig.text(0, 0.4, text, fontsize=24)\n    fig.canvas.draw()\n"
        "    pixels = np.asarray(fig.canvas.buffer_rgba())[:, :, 0].tobytes()\n    plt.close(fig)\n    return pixels\n"
    )
    fonts = [
        "plt.rcParams['font.sans-serif'] = ['SimHei']",
        "import seaborn; seaborn.set_theme()",
    ]
    for font in fonts:
        outcome = await shown(session, f"{drawn}{font}\n[ink('中'), ink('文')][0] == ink('文')")
        told = await shown(session, "plt.title('中文标签')\nplt.show()")
        if any("no font" in notice for notice in told.notices):
            pytest.skip("CHINESE LABELS ARE NOT TESTED: this machine has no font for them")
        assert (outcome.value, outcome.printed) == ("False", "")
        assert told.printed == ""


async def test_a_figure_that_is_enormous_or_broken_is_bearable(session: PythonSession) -> None:
    huge = await shown(session, "import matplotlib.pyplot as plt\nplt.figure(figsize=(400, 200))\nplt.plot([1])")
    assert max(png_size(huge.figures[0])) < 3_000
    broken = await shown(session, "plt.title('$\\\\frac{$')")
    assert "A figure could not be drawn" in broken.notices[0]
    many = await shown(session, "for n in range(30): plt.figure(); plt.plot([n])")
    assert len(many.figures) == 8
    assert "22 more" in many.notices[0]


async def test_figures_of_code_that_failed_do_not_turn_up_later(session: PythonSession) -> None:
    failed = await session.run("import matplotlib.pyplot as plt\nplt.plot([1])\n1 / 0")
    assert failed.error is not None
    assert (await shown(session, "1")).figures == ()


@pytest.mark.parametrize("last", ["fig.show()", "fig", "display(fig)", "x = 1"])
async def test_a_plotly_figure_is_shown_once(session: PythonSession, last: str) -> None:
    code = f"import plotly.express as px\nfig = px.bar(x=['a', 'b'], y=[1, 3], title='Trams')\n{last}"
    outcome = await shown(session, code)
    (card,) = outcome.figures
    assert isinstance(card, PlotlyCard)
    assert card.alt == "Trams; x: x; y: y"
    assert '"type": "bar"' in card.figure_json
    assert (await shown(session, "fig.layout.title.text")).figures == ()


async def test_a_data_frame_is_a_table(session: PythonSession) -> None:
    code = (
        "import numpy as np, pandas as pd\n"
        "df = pd.DataFrame({'n': [1, 2**60], 'x': [0.5, np.nan], 'b': [True, False], 't': ['中', None],\n"
        "                   'd': pd.to_datetime(['2026-11-30', None]), 'c': pd.Categorical(['u', 'v'])})\ndf"
    )
    outcome = await shown(session, code)
    assert outcome.tables == (
        TableCard(
            title="df",
            columns=("n", "x", "b", "t", "d", "c"),
            rows=(
                (1, 0.5, True, "中", "2026-11-30 00:00:00", "u"),
                (str(2**60), None, False, None, None, "v"),
            ),
            total_rows=2,
        ),
    )
    assert "[2 rows x 6 columns]" in (outcome.value or "")


@pytest.mark.parametrize(
    ("code", "columns", "first", "total"),
    [
        ("pd.DataFrame({'v': range(5000)})", ("v",), (0,), 5_000),
        ("pd.Series([3, 4], index=['a', 'b'], name='s')", ("", "s"), ("a", 3), 2),
        (
            "pd.DataFrame({'g': list('aab'), 'v': [1, 2, 3]}).groupby('g').v.agg(['sum', 'max'])",
            ("g", "sum", "max"),
            ("a", 3, 2),
            2,
        ),
        (
            "pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([('a', 'b'), ('a', 'c')]))",
            ("a / b", "a / c"),
            (1, 2),
            1,
        ),
        (
            "pd.DataFrame([[1]], index=pd.MultiIndex.from_tuples([('x', 'y')], names=['p', 'q']))",
            ("p / q", "0"),
            ("x / y", 1),
            1,
        ),
        (
            "pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([('a' * 300, 'b' * 900)]))",
            ("a" * 200,),
            (1,),
            1,
        ),
        ("pd.DataFrame({'n': [10 ** 3000]})", ("n",), ("1" + "0" * 199,), 1),
        (
            "pd.Series([np.datetime64('2024-01-01T00:00:00.000000000')], dtype=object)",
            ("0",),
            ("2024-01-01T00:00:00.000000000",),
            1,
        ),
        ("pd.DataFrame([[1, 2]], columns=['same', 'same'])", ("same", "same"), (1, 2), 1),
        ("pd.DataFrame({'o': [[1, 2], {'k': 1}]})", ("o",), ("[1, 2]",), 2),
        ("pd.DataFrame({'a': [1]}).style.highlight_max()", ("a",), (1,), 1),
        ("pd.DataFrame({f'c{n}': [n] for n in range(99)})", tuple(f"c{n}" for n in range(30)), tuple(range(30)), 1),
    ],
    ids=[
        "long",
        "series",
        "groups",
        "levels above",
        "levels aside",
        "long names",
        "long numbers",
        "dates",
        "same names",
        "objects",
        "styled",
        "wide",
    ],
)
async def test_every_kind_of_frame_becomes_a_table(
    session: PythonSession, code: str, columns: tuple[str, ...], first: tuple[object, ...], total: int
) -> None:
    (table,) = (await shown(session, f"import pandas as pd\n{code}")).tables
    assert (table.columns, table.rows[0], table.total_rows) == (columns, first, total)
    assert len(table.rows) <= 100


async def test_an_empty_frame_is_a_table_without_rows(session: PythonSession) -> None:
    (table,) = (await shown(session, "import pandas as pd\npd.DataFrame({'a': []})")).tables
    assert (table.columns, table.rows, table.total_rows) == (("a",), (), 0)
