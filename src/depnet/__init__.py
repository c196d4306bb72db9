"""depnet: probabilistic dependency networks. Learn a table's joint distribution, ask it anything."""

from depnet.data import Dataset, Domain, Variable, titanic
from depnet.learning.parameters import learn_parameters
from depnet.learning.penalty import Aic, Mdl, NoPenalty, StructuralMdl
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
    "Aic",
    "ConditionalTable",
    "ConstantSource",
    "Dataset",
    "DecisionGraph",
    "Domain",
    "FunctionSource",
    "InformationSource",
    "LosslessSource",
    "Mdl",
    "Merge",
    "Network",
    "NoPenalty",
    "Node",
    "RandomScan",
    "SequentialScan",
    "Split",
    "StructuralMdl",
    "Variable",
    "learn_parameters",
    "titanic",
]
