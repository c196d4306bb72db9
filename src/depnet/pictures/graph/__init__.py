"""Which variable predicts which, and how well: the dependency graph of a network, laid out, drawn and exported.

- `dependency`: variables and arrows, with their strengths;
- `community`: variables that predict each other better than the rest;
- `layout`: where variables are drawn;
- `exports`: DOT, GraphML, CSV;
- `svg`: the picture.
"""
