"""Monte Carlo integration (Eq. ergodicity) with its standard error."""

import numpy as np
import pytest

from depnet import RandomScan, SequentialScan, expectation, stationary
from depnet.arrays import CodeArray
from depnet.errors import SamplingError
from depnet.model import Scan
from tests.sampling.run.test_laws import BINARY, CATEGORICAL


@pytest.mark.parametrize("scan", [RandomScan(), SequentialScan()])
def test_the_mean_is_within_its_error(scan: Scan) -> None:
    law = stationary(CATEGORICAL, scan)
    other = stationary(CATEGORICAL, SequentialScan() if isinstance(scan, RandomScan) else RandomScan())
    f = np.sign(law - other)  # the function whose mean tells the two scans apart best
    result = expectation(
        CATEGORICAL, lambda x: f[tuple(x.T)], scan=scan, rows=50_000, rng=np.random.default_rng(0)
    )
    assert abs(result.mean - (law * f).sum()) < 6 * result.standard_error  # false alarm below 1e-8
    assert 0 < result.standard_error < 0.01
    assert result.rows >= 50_000
    assert abs(result.mean - (other * f).sum()) > 6 * result.standard_error, "the mutant: the other scan"


def test_the_error_is_honest() -> None:
    """(mean - truth) / error over 200 seeds: its mean square is 1, +- 0.1 * 5."""
    law = stationary(BINARY, RandomScan())
    truth = law[1].sum()
    scores = []
    for seed in range(200):
        result = expectation(
            BINARY, lambda x: x[:, 0], rows=2000, chains=100, burn_in=30, rng=np.random.default_rng(seed)
        )
        scores.append((float(result.mean) - truth) / float(result.standard_error))
    assert 0.5 < np.mean(np.square(scores)) < 1.6


def test_several_functions_at_once_and_evidence() -> None:
    def indicators(x: CodeArray) -> np.ndarray:
        return np.stack([x[:, 0] == 1, x[:, 1] == 1], axis=1)

    result = expectation(
        BINARY, indicators, evidence={"X1": 1}, rows=20_000, rng=np.random.default_rng(0), n_jobs=2
    )
    law = stationary(BINARY, RandomScan(), {"X1": 1})
    assert result.mean.shape == (2,)
    assert abs(result.mean[0] - law[1].sum()) < 6 * result.standard_error[0]
    assert result.mean[1] == 1
    assert result.standard_error[1] == 0


def test_functions_that_are_none_are_said() -> None:
    with pytest.raises(SamplingError, match=r"a number for each of \d+ rows; got shape \(\)"):
        expectation(BINARY, lambda x: 1.0)
    with pytest.raises(SamplingError, match="it must be finite"):
        expectation(BINARY, lambda x: np.where(x[:, 0] == 0, np.nan, 1.0))
    with pytest.raises(SamplingError, match="chains is a whole number of at least 2; got 1"):
        expectation(BINARY, lambda x: x[:, 0], chains=1)
    with pytest.raises(SamplingError, match="f is a function of codes"):
        expectation(BINARY, 3)  # type: ignore[arg-type]  # that is the point
