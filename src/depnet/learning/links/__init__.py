"""Links: what each variable tells a node.

- `links`: every link of a network, with its strength in bits;
- `replay`: strengths from rows; `from_counts`: strengths from the counts that a network keeps.
"""
