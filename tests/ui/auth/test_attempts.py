from ui.auth.attempts import Attempts


def test_only_so_many_attempts_are_let_through_for_each_key() -> None:
    attempts = Attempts(3)
    assert [attempts.may_try("ada") for _ in range(5)] == [True, True, True, False, False]
    assert attempts.may_try("bob")


def test_a_flood_of_other_keys_costs_little_and_does_not_free_the_one_that_tries_on() -> None:
    attempts = Attempts(2)
    tries = [attempts.may_try("ada") for number in range(30_000) if attempts.may_try(f"address {number}")]
    assert tries == [True, True] + [False] * 29_998
