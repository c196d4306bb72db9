// Many rows of evidence at once: clamped chains, or the exact law of small ones. Slow twins:
// tests/reference/inference.py.

#include <nanobind/stl/optional.h>

#include <optional>

#include "batch_chains.hpp"
#include "batch_exact.hpp"

namespace depnet {
namespace {

// Which nodes each row of evidence updates; the arrays are the caller's.
struct RowScan {
    In1<std::int32_t> begin, node;
    In1<double> weight, choice;
    In1<std::int32_t> position, length;
    bool sequential;

    std::span<const std::int32_t> free(std::int64_t r) const {
        return {node.data() + begin(r), node.data() + begin(r + 1)};
    }

    Row row(std::int64_t r) const {
        Row row;
        row.number = r;
        row.free = free(r);
        row.choice = choice.size() ? choice.data() + begin(r) : nullptr;
        row.positions = position.data() + begin(r);
        row.length = length(r);
        return row;
    }
};

// The chains of all rows, `per_row` each: how far they came; the arrays are the caller's.
struct ChainStates {
    std::int64_t per_row;
    In1<std::uint64_t> keys;
    Out1<std::uint64_t> counters;
    Out2<std::uint16_t> codes;
    Out1<std::int64_t> impossible;
};

void run(const Program& program, const RowScan& scan, const ChainStates& states,
         std::int64_t sweeps, std::int64_t first, std::int64_t last,
         std::optional<Out2<double>> sums, std::optional<Out2<double>> weights) {
    nb::gil_scoped_release release;
    const std::size_t n = program.cards.size(), estimators = program.estimators.size();
    const bool record = sums && weights;
    Stepper stepper(program);
    Row row;
    for (std::int64_t at = first; at < last;) {
        const std::int64_t r = at / states.per_row;
        const std::int64_t stop =
            std::min({last, (r + 1) * states.per_row, at + static_cast<std::int64_t>(kTogether)});
        if (row.number != r) {
            row = scan.row(r);
            if (scan.sequential) stepper.weigh(row);
        }
        Chain group[kTogether];
        std::size_t size = 0;
        for (std::int64_t c = at; c < stop; ++c)
            group[size++] = {states.keys(c),
                             states.counters(c),
                             states.codes.data() + c * n,
                             record ? sums->data() + c * program.cells : nullptr,
                             record ? weights->data() + c * estimators : nullptr,
                             0};
        const std::span<Chain> chains(group, size);
        if (scan.sequential)
            record ? stepper.sweep<true, true>(row, chains, sweeps)
                   : stepper.sweep<true, false>(row, chains, sweeps);
        else
            record ? stepper.sweep<false, true>(row, chains, sweeps)
                   : stepper.sweep<false, false>(row, chains, sweeps);
        for (std::int64_t c = at; c < stop; ++c) {
            states.counters(c) = group[c - at].counter;
            states.impossible(c) += group[c - at].impossible;
        }
        at = stop;
    }
}

void solve(const Program& program, const RowScan& scan, double residual, std::int64_t most,
           std::int64_t first, std::int64_t last, In2<std::uint16_t> codes, Out2<double> sums,
           Out1<std::int64_t> applied) {
    nb::gil_scoped_release release;
    const std::size_t n = program.cards.size();
    Solver solver(program);
    for (std::int64_t r = first; r < last; ++r)
        applied(r) =
            solver.solve(scan.free(r), scan.weight.data() + scan.begin(r), scan.sequential,
                         residual, most, codes.data() + r * n, sums.data() + r * program.cells);
}

}  // namespace
}  // namespace depnet

NB_MODULE(batch, m) {
    using namespace depnet;
    using nb::arg;
    nb::class_<Program>(
        m, "Program",
        R"(A network laid out for many clamped chains, and what is estimated from their updates.

Add the nodes in order, then the estimators, then `link`. A table node's leaf is `leaves[x]` of the joint state x of its
inputs, row-major; a graph node's is where the compiled decision graph (tested, begin, children) leads. `theta` is
[leaf, state], flat; a row of zeros means that the update leaves the state as it is.)")
        .def(nb::init<In1<std::int32_t>>(), arg("cardinalities"))
        .def("add_graph_node", &Program::add_graph_node, arg("variable"), arg("tested"),
             arg("begin"), arg("children"), arg("theta"))
        .def("add_table_node", &Program::add_table_node, arg("variable"), arg("inputs"),
             arg("leaves"), arg("theta"))
        .def(
            "add_stages", &Program::add_stages, arg("variable"), arg("low"), arg("high"),
            arg("begin"), arg("leaf"), arg("test"), arg("scores"), arg("weights"),
            R"(The node that was added last is boosted: its `theta` are first scores, to which its stages add theirs.

The arrays are those of `depnet.model.stages.Stages`; `weights` tilts theta by those of its states (empty: not at all).)")
        .def("add_estimator", &Program::add_estimator, arg("variables"),
             "Estimate the joint law of `variables`: the next cells of the sums, row-major.")
        .def("link", nb::overload_cast<>(&Program::link))
        .def_ro("cells", &Program::cells, "The cells of all estimators together.");
    nb::class_<RowScan>(m, "RowScan",
                        R"(Which nodes each row of evidence updates, and how they are scanned.

Row r updates `node[begin[r] : begin[r + 1]]`, in the order of the scan. `weight` are their c_i, each row's summing to
one, and `choice` cumulates them under the random scan (empty: all alike). Under the sequential scan, `position` are
their places in a full sweep of `length[r]` steps.)")
        .def(nb::init<In1<std::int32_t>, In1<std::int32_t>, In1<double>, In1<double>,
                      In1<std::int32_t>, In1<std::int32_t>, bool>(),
             nb::kw_only(), arg("begin"), arg("node"), arg("weight"), arg("choice"),
             arg("position"), arg("length"), arg("sequential"));
    nb::class_<ChainStates>(
        m, "ChainStates",
        R"(Chains, `per_row` for each row of evidence: chain c belongs to row c // per_row.

`codes` are their states, `counters` the words that each has taken from its stream `keys[c]`, and `impossible` counts the
recorded updates that found no possible state. All but the keys are written by `run`.)")
        .def(nb::init<std::int64_t, In1<std::uint64_t>, Out1<std::uint64_t>, Out2<std::uint16_t>,
                      Out1<std::int64_t>>(),
             nb::kw_only(), arg("per_row"), arg("keys"), arg("counters").noconvert(),
             arg("codes").noconvert(), arg("impossible").noconvert());
    m.def(
        "run", &run, arg("program"), arg("scan"), arg("chains"), nb::kw_only(), arg("sweeps"),
        arg("first"), arg("last"), arg("sums").noconvert().none(),
        arg("weights").noconvert().none(),
        R"(Run the chains `first` .. `last` - 1 for `sweeps` sweeps, each of as many updates as the row has free nodes.

Update number t of a chain takes the word t of its stream: the low half draws the state, the high half chooses the node.
Where they are given, every update adds its theta to `sums` [chain, cell] and its weight to `weights` [chain, estimator].)");
    m.def("solve", &solve, arg("program"), arg("scan"), nb::kw_only(), arg("residual"), arg("most"),
          arg("first"), arg("last"), arg("codes").noconvert(), arg("sums").noconvert(),
          arg("applied").noconvert(),
          R"(The exact marginals of rows `first` .. `last` - 1, where no table has a zero.

Estimator i must be the marginal of variable i. `applied[row]` is how often the map was applied to bring its residual
under `residual`, 0 where `most` times were not enough.)");
}
