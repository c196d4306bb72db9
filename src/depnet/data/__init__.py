"""Variables, domains and tables of codes; frames in and out."""

from depnet.data.bins import Bins
from depnet.data.dataset import Dataset
from depnet.data.decode import decode
from depnet.data.describe import describe
from depnet.data.domain import Domain
from depnet.data.encode import encode
from depnet.data.fill import fill
from depnet.data.holed import Holed
from depnet.data.layout import Layout
from depnet.data.supervised import SupervisedCut
from depnet.data.titanic import titanic
from depnet.data.variable import Label, Variable

__all__ = [
    "Bins",
    "Dataset",
    "Domain",
    "Holed",
    "Label",
    "Layout",
    "SupervisedCut",
    "Variable",
    "decode",
    "describe",
    "encode",
    "fill",
    "titanic",
]
