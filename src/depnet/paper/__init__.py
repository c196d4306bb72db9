"""The paper's experiments and figures, from real computation: what `depnet paper ...` shows.

Each module composes library functions into one experiment and gives a `Report` (rows, claims, notes);
what the project adds to the paper is in `beyond`. Nothing here parses or prints.
"""

from depnet.paper.report import Claim, Column, Report

__all__ = ["Claim", "Column", "Report"]
