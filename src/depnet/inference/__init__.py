"""Queries, imputation and relevance: what is likely given what is known, exact or sampled.

In reading order, each above those before it:

- `answer`: questions and answers, as values;
- `ordered`: answers of an ordered network's law;
- `clamped`: answers of any other network, whose evidence is clamped: what matters, exact laws, chains;
- `ask`: `depnet.query`, log-probabilities and the most probable state, by either of the two;
- `holes`: many rows with holes, answered or scored together; `imputation`: filled; `kept`: so that constraints hold;
- `judge`: how near models are to tables and to each other, what would move a target, which cells are odd,
  and which rows are alike.
"""

from depnet.inference.answer.observed import Support as Support
from depnet.inference.answer.result import QueryResult as QueryResult
from depnet.inference.answer.rows import RowsResult as RowsResult
from depnet.inference.ask.by import GroupAnswers as GroupAnswers
from depnet.inference.ask.by import query_by as query_by
from depnet.inference.ask.explain import Explanation as Explanation
from depnet.inference.ask.explain import Step as Step
from depnet.inference.ask.explain import explain as explain
from depnet.inference.ask.query import LogProbability as LogProbability
from depnet.inference.ask.query import MostProbable as MostProbable
from depnet.inference.ask.query import log_probability as log_probability
from depnet.inference.ask.query import most_probable as most_probable
from depnet.inference.ask.query import query as query
from depnet.inference.holes import query_rows as query_rows
from depnet.inference.imputation import Imputation as Imputation
from depnet.inference.imputation import impute as impute
from depnet.inference.judge.compare import Comparison as Comparison
from depnet.inference.judge.compare import compare as compare
from depnet.inference.judge.nearest import Nearest as Nearest
from depnet.inference.judge.nearest import nearest as nearest
from depnet.inference.judge.quality import Quality as Quality
from depnet.inference.judge.quality import quality as quality
