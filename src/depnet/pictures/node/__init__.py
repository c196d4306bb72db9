"""One node: its decision graph, or what a boosted one reads, as text and picture.

- `decision`: tests, branches and leaves, from any information source;
- `rules`: what a row has to be to come to a vertex, in words; what evidence leaves of a graph;
- `boosted`: a boosted node, which sums many graphs: what it reads, and what each input gained;
- `text`, `svg`: both of them for a terminal, and as a picture.
"""
