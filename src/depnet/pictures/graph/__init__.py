"""Who tells whom how much: the dependency graph of a network, laid out, drawn and exported.

- `dependency`: variables and arrows, with their strengths;
- `community`: variables that tell each other more than they tell the rest;
- `layout`: where variables are drawn;
- `exports`: DOT, GraphML, CSV;
- `svg`: the picture.
"""
