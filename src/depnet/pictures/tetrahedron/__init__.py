"""The laws of two binary variables as points of a tetrahedron.

- `scene`: curves, points and surfaces, before they are drawn;
- `simplex`: edges, corners and the manifolds of two tables;
- `walk`: the path of p^t between the manifolds, under either scan.
"""
