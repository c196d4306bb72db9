"""One node: its decision graph as text and picture.

- `runs`: neighbouring states said by their ends;
- `decision`: tests, branches and leaves, from any information source;
- `rules`: what a row has to be to come to a vertex, in words;
- `parts_of_graph`: what evidence leaves of a graph, what is below a vertex, the rows that come to one;
- `layout`, `drawing`: where they are drawn;
- `text`: for a terminal;
- `effects`, `effects_text`, `effects_svg`: a boosted node, which sums many graphs: what it reads, and what that does;
- `svg`: the picture.
"""
