import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ui.auth.secret import signing_secret


def test_the_key_is_made_once_kept_private_and_the_same_for_all(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    first = signing_secret(folder, given=None)
    assert len(first) >= 48
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: signing_secret(folder, given=None), range(50))) == {first}
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_another_folder_has_another_key_and_a_given_one_wins(tmp_path: Path) -> None:
    keys = {signing_secret(tmp_path / name, given=None) for name in "ab"}
    assert len(keys) == 2
    assert signing_secret(tmp_path / "c", given="the operator's") == "the operator's"
    assert not (tmp_path / "c").exists()
