"""One node: its decision graph and the way it was learned, as text and pictures.

- `decision`: tests, branches and leaves, from any information source;
- `layout`: where they are drawn;
- `stages`: the graph after each operation of learning, and what it cost;
- `text`: for a terminal;
- `mermaid`: for Markdown pages;
- `svg`: the picture.
"""
