"""The report of a fitted network: one HTML file, self-contained, that opens offline and runs nothing.

- `page`: the page around the sections, and the few pieces they are made of;
- `sections`: the links, the certificate and the decision graphs;
- `report`: rows drawn from the model against the data's, and the whole.
"""

from depnet.pictures.report.report import html_report

__all__ = ["html_report"]
