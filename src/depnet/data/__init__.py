"""Variables, domains and tables of codes."""

from depnet.data.dataset import Dataset
from depnet.data.domain import Domain
from depnet.data.titanic import titanic
from depnet.data.variable import Label, Variable

__all__ = ["Dataset", "Domain", "Label", "Variable", "titanic"]
