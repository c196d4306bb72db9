"""depnet: probabilistic dependency networks. Learn a table's joint distribution, ask it anything."""

from depnet.data import Dataset, Domain, Variable, titanic
from depnet.model import (
    ConditionalTable,
    ConstantSource,
    DecisionGraph,
    FunctionSource,
    InformationSource,
    LosslessSource,
    Merge,
    Network,
    Node,
    RandomScan,
    SequentialScan,
    Split,
)

__version__ = "0.1.0"

__all__ = [
    "ConditionalTable",
    "ConstantSource",
    "Dataset",
    "DecisionGraph",
    "Domain",
    "FunctionSource",
    "InformationSource",
    "LosslessSource",
    "Merge",
    "Network",
    "Node",
    "RandomScan",
    "SequentialScan",
    "Split",
    "Variable",
    "titanic",
]
