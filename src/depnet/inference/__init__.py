"""Queries, imputation and relevance: what is likely given what is known, exact or sampled.

In reading order, each above those before it:

- `answer`: questions and answers, as values;
- `ordered`: answers of an ordered network's law;
- `clamped`: answers of any other network, whose evidence is clamped: what matters, exact laws, chains;
- `ask`: `depnet.query`, log-probabilities and the most probable state, by either of the two;
- `holes`: many rows with holes, answered or scored together; `imputation`: filled;
- `judge`: how near models are to tables and to each other, what would move a target, which cells are odd,
  and which rows are alike.
"""

from depnet.inference.answer.observed import Support
from depnet.inference.answer.result import QueryResult
from depnet.inference.answer.rows import RowsResult
from depnet.inference.ask.by import GroupAnswers, query_by
from depnet.inference.ask.explain import Explanation, Step, explain
from depnet.inference.ask.query import LogProbability, MostProbable, log_probability, most_probable, query
from depnet.inference.holes import query_rows
from depnet.inference.imputation import Imputation, impute
from depnet.inference.judge.compare import Comparison, compare
from depnet.inference.judge.nearest import Nearest, nearest

__all__ = [
    "Comparison",
    "Explanation",
    "GroupAnswers",
    "Imputation",
    "LogProbability",
    "MostProbable",
    "Nearest",
    "QueryResult",
    "RowsResult",
    "Step",
    "Support",
    "compare",
    "explain",
    "impute",
    "log_probability",
    "most_probable",
    "nearest",
    "query",
    "query_by",
    "query_rows",
]
