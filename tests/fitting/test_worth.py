"""How sure answers are is chosen on rows that laws have not seen: less of worse laws, and the same always."""

import numpy as np

import depnet
from depnet.fitting.fit import FitOptions, fit_law
from depnet.fitting.worth import SURES, Sure, choose_sure
from depnet.inference.answer.intervals import SURE_MEANS, SURE_SHARES
from tests.narrowed import there

WORTH = 50.0


def numbers(rows: int, seed: int) -> depnet.Dataset:
    """Four columns: two that hang together strongly, and two that do not."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 6, rows)
    codes = np.stack([first, (first + rng.integers(0, 2, rows)) % 6, *rng.integers(0, 6, (2, rows))], axis=1)
    names = [depnet.data.Variable(f"x{i}", tuple(range(6))) for i in range(4)]
    return depnet.Dataset.from_codes(codes, domain=depnet.Domain(tuple(names)))


def test_a_law_that_knows_the_population_is_worth_more_than_one_that_is_wrong() -> None:
    learned, judge = numbers(400, 0), numbers(4000, 1)
    good = depnet.learn(numbers(100_000, 2), order="auto")
    wrong = depnet.learn(numbers(40, 3), order="auto", smoothing=0.1, penalty=lambda k, n: 0.0)
    known = choose_sure([good], [(judge, learned)], 1000.0)
    unknown = choose_sure([wrong], [(judge, learned)], 1000.0)
    assert known.shares > unknown.shares
    assert known.means > unknown.means
    assert known.shares / SURE_SHARES in SURES
    assert known.means / SURE_MEANS in SURES
    assert known == choose_sure([good], [(judge, learned)], 1000.0)


def test_the_usual_is_kept_where_there_is_nothing_to_ask() -> None:
    one = depnet.Dataset.from_codes(
        np.zeros((30, 1), dtype=np.int64), domain=depnet.Domain.from_cardinalities([2])
    )
    assert choose_sure([depnet.learn(one, order="auto")], [(one, one)], WORTH) == Sure()
    few = numbers(12, 0)
    assert choose_sure([depnet.learn(few, order="auto")], [(few, few)], WORTH) == Sure()
    assert there(fit_law(numbers(40, 0), FitOptions()).held_out).sure_shares == SURE_SHARES
