"""The paper's objects: information sources, conditional tables, nodes, networks, scans, evidence.

- `sources/`: information sources; `table`: conditional tables and their counts; `node`, `network`: what they make together;
  `Model`: the networks of one table, as a fit gives and a file holds them; `compiled`: networks for the native core
- `boosted`, `stages`: nodes that add up the scores of many decision graphs; those of a number, by its digits
- `scan`, `evidence`: which node is updated next, and what is known
- `spans`, `conditions`, `condition_text`: what is known of one variable, as a range, as any value, as text; `event`,
  `given_text`: of several together, as a value and as text, one grammar for every face
- `marginals`: what rows said of a network; `score`: how well it predicts them
- `links`: who reads whom; `mixture`: several ordered networks as one law
- `file/`: the model file
"""

from depnet.model.boosted import BoostedNode
from depnet.model.evidence import Evidence, Given
from depnet.model.links import OneSidedLink, one_sided_links
from depnet.model.mixture import Mixture
from depnet.model.network import Network
from depnet.model.node import Node, TableNode
from depnet.model.scan import RandomScan, Scan, SequentialScan
from depnet.model.sources.decision_graph import DecisionGraph, Merge, Operation, Split
from depnet.model.sources.source import (
    ConstantSource,
    FunctionSource,
    InformationSource,
    LosslessSource,
    TabulatedSource,
)
from depnet.model.table import ConditionalTable

__all__ = [
    "BoostedNode",
    "ConditionalTable",
    "ConstantSource",
    "DecisionGraph",
    "Evidence",
    "FunctionSource",
    "Given",
    "InformationSource",
    "LosslessSource",
    "Merge",
    "Mixture",
    "Network",
    "Node",
    "OneSidedLink",
    "Operation",
    "RandomScan",
    "Scan",
    "SequentialScan",
    "Split",
    "TableNode",
    "TabulatedSource",
    "one_sided_links",
]
