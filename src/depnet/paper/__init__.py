"""The paper's experiments and figures, from real computation: what `depnet paper ...` shows.

Each experiment composes library functions and gives a `Report`; nothing here parses or prints. In reading order:

- `report`: rows, claims and notes, as one value;
- `laws`: the true laws, and data drawn from them;
- `learned`: Table 1, convergence, rare evidence; `chains`: scans, the game, perturbation;
- `figures`: the paper's own figures, with matplotlib.
"""

from depnet.paper.report import Claim, Report, ReportColumn

__all__ = ["Claim", "Report", "ReportColumn"]
