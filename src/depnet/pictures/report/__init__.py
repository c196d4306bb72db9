"""The report of a fitted network, `page`: one HTML file that opens offline and runs nothing."""
