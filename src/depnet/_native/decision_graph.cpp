// Decision graphs: recorded split and merge operations compiled into a directed acyclic graph, and
// the walk that gives the leaf of every row. Slow twin: tests/reference/decision_graph.py.

#include <nanobind/stl/tuple.h>

#include <cstddef>

#include "bindings.hpp"
#include "decision_graph_compile.hpp"

namespace depnet {
namespace {

using Flat = std::tuple<Array1<std::int32_t>, Array1<std::int32_t>, Array1<std::int32_t>>;

Flat compile(In1<std::uint8_t> kinds, In1<std::int32_t> first, In1<std::int32_t> second,
             In1<std::int32_t> branches) {
    CompiledGraph graph;
    {
        nb::gil_scoped_release release;
        graph = compile_operations(kinds.data(), first.data(), second.data(), kinds.size(),
                                   [&](std::size_t t) { return branches(t); });
    }
    return {to_numpy(std::move(graph.variable)), to_numpy(std::move(graph.begin)),
            to_numpy(std::move(graph.children))};
}

template <typename Code>
void walk(In1<std::int32_t> variable, In1<std::int32_t> begin, In1<std::int32_t> children,
          Codes<Code> codes, Out1<std::int32_t> leaves) {
    nb::gil_scoped_release release;
    const std::int32_t* var = variable.data();
    const std::int32_t* beg = begin.data();
    const std::int32_t* child = children.data();
    const Code* code = codes.data();
    std::int32_t* out = leaves.data();
    const std::size_t rows = codes.shape(0);
    for (std::size_t r = 0; r < rows; ++r) {
        std::int32_t v = 0;
        while (var[v] != compiling::kLeaf) v = child[beg[v] + code[var[v] * rows + r]];
        out[r] = beg[v];
    }
}

}  // namespace
}  // namespace depnet

void depnet::bind_graphs(nb::module_& m) {
    m.def(
        "compile_operations", &compile, nb::arg("kinds"), nb::arg("first"), nb::arg("second"),
        nb::arg("branches"),
        R"(Compile recorded operations into (variable, begin, children) of a directed acyclic graph.

`kinds[t]` is 0 for Split(first, second), where `branches[t]` is the number of states of the variable, and 1 for
Merge(first, second). Vertex 0 is the root. A vertex v with `variable[v] >= 0` tests that variable and goes on to
`children[begin[v] + code]`; one with `variable[v] == -1` is the leaf `begin[v]`.)");
    m.def("walk", &walk<std::uint8_t>, nb::arg("variable"), nb::arg("begin"), nb::arg("children"),
          nb::arg("codes").noconvert(), nb::arg("leaves").noconvert(),
          "Write the leaf of every row of `codes` ([N, n], column-major) into `leaves` ([N]).");
    m.def("walk", &walk<std::uint16_t>, nb::arg("variable"), nb::arg("begin"), nb::arg("children"),
          nb::arg("codes").noconvert(), nb::arg("leaves").noconvert());
}
