"""Queries, imputation and relevance: what is likely given what is known, exact or sampled.

In reading order:

- `answer`: a question, from `depnet.query` to its result; the most probable state; log-probabilities;
- `ordered`: answers of an ordered network's law;
- `clamped`: answers of any other network, whose evidence is clamped: what matters, exact laws, chains;
- `rows`: many rows with holes, answered, completed or scored together, by either of the two;
- `judge`: how near models are to tables and to each other, and which cells are odd;
- `effort`: how exactly, and until when.
"""

from depnet.inference.answer.density import LogProbability, log_probability
from depnet.inference.answer.most_probable import MostProbable, most_probable
from depnet.inference.answer.observed import Support
from depnet.inference.answer.query import query
from depnet.inference.answer.result import QueryResult
from depnet.inference.judge.compare import Comparison, compare
from depnet.inference.rows.impute import Imputation, impute
from depnet.inference.rows.query import query_rows
from depnet.inference.rows.result import RowsResult

__all__ = [
    "Comparison",
    "Imputation",
    "LogProbability",
    "MostProbable",
    "QueryResult",
    "RowsResult",
    "Support",
    "compare",
    "impute",
    "log_probability",
    "most_probable",
    "query",
    "query_rows",
]
