"""The report of a fitted network: one HTML file, self-contained, that opens offline and runs nothing.

- `page`: the page around the sections;
- `report`: the sections, and the whole.
"""

from depnet.pictures.report.report import html_report

__all__ = ["html_report"]
