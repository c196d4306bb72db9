// Many rows of evidence at once: clamped chains, or the exact law of small ones. Slow twins:
// tests/reference/inference.py.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <optional>

#include "batch_chains.hpp"
#include "batch_exact.hpp"
#include "bindings.hpp"

namespace depnet::rows {
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

// Which rows are solved, how exactly, and how often the map may be applied.
struct SolveTask {
    double residual;
    std::int64_t most, first, last;
};

// A network whose variables are estimated, under what is known of all rows alike.
class RowProgram {
  public:
    RowProgram(Network& network, const Known& known,
               const std::vector<std::vector<std::int32_t>>& estimators)
        : network_(network),
          view_(network.view()),
          known_(known),
          steps_(network, known_, every_place(network).data(), network.variables(), false),
          estimators_(network, estimators) {}

    std::int32_t cells() const { return estimators_.cells; }

    void run(const RowScan& scan, const ChainStates& states, std::int64_t sweeps,
             std::int64_t first, std::int64_t last, std::optional<Out2<double>> sums,
             std::optional<Out2<double>> weights) const {
        nb::gil_scoped_release release;
        const std::size_t n = network_.variables(), estimators = estimators_.estimators.size();
        const bool record = sums && weights;
        Stepper stepper(network_, view_, steps_, estimators_);
        Row row;
        for (std::int64_t at = first; at < last;) {
            const std::int64_t r = at / states.per_row;
            const std::int64_t stop = std::min(
                {last, (r + 1) * states.per_row, at + static_cast<std::int64_t>(kTogether)});
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
                                 record ? sums->data() + c * estimators_.cells : nullptr,
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

    void solve(const RowScan& scan, const SolveTask& task, In2<std::uint16_t> codes,
               Out2<double> sums, Out1<std::int64_t> applied) const {
        nb::gil_scoped_release release;
        Solver solver(network_, view_, steps_, estimators_);
        for (std::int64_t r = task.first; r < task.last; ++r)
            applied(r) =
                solver.solve(scan.free(r), scan.weight.data() + scan.begin(r), scan.sequential,
                             task.residual, task.most, codes.data() + r * network_.variables(),
                             sums.data() + r * estimators_.cells);
    }

  private:
    static std::vector<std::int32_t> every_place(const Network& network) {
        std::vector<std::int32_t> places(network.variables());
        std::iota(places.begin(), places.end(), 0);
        return places;
    }

    const Network& network_;  // which Python keeps alive
    View view_;
    Known known_;
    Steps steps_;
    Estimators estimators_;
};

}  // namespace
}  // namespace depnet::rows

void depnet::bind_rows(nb::module_& m) {
    using namespace depnet::rows;
    using nb::arg;
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
    nb::class_<SolveTask>(m, "SolveTask",
                          "Which rows are solved, until the residual is under `residual`, the map "
                          "being applied at most `most` times.")
        .def(nb::init<double, std::int64_t, std::int64_t, std::int64_t>(), nb::kw_only(),
             arg("residual"), arg("most"), arg("first"), arg("last"));
    nb::class_<RowProgram>(
        m, "RowProgram",
        R"(A network under what is known of all rows alike, and the joint laws of variables that are estimated.

Each of `estimators` is a list of variables, the next cells of the sums, row-major.)")
        .def(nb::init<Network&, const Known&, const std::vector<std::vector<std::int32_t>>&>(),
             arg("network"), arg("known"), arg("estimators"), nb::keep_alive<1, 2>())
        .def_prop_ro("cells", &RowProgram::cells, "The cells of all estimators together.")
        .def(
            "run", &RowProgram::run, arg("scan"), arg("chains"), nb::kw_only(), arg("sweeps"),
            arg("first"), arg("last"), arg("sums").noconvert().none(),
            arg("weights").noconvert().none(),
            R"(Run the chains `first` .. `last` - 1 for `sweeps` sweeps, each of as many updates as the row has free nodes.

Update number t of a chain takes the word t of its stream: the low half draws the state, the high half chooses the node.
Where they are given, every update adds its theta to `sums` [chain, cell] and its weight to `weights` [chain, estimator].)")
        .def("solve", &RowProgram::solve, arg("scan"), arg("task"), nb::kw_only(),
             arg("codes").noconvert(), arg("sums").noconvert(), arg("applied").noconvert(),
             R"(The exact marginals of rows, where no table has a zero.

Estimator i must be the marginal of variable i. `applied[row]` is how often the map was applied, 0 where `most` times were
not enough.)");
}
