// Many rows of evidence at once: clamped chains, or the exact law of small ones. Slow twins:
// tests/reference/inference.py.

#include "batch_chains.hpp"
#include "batch_exact.hpp"

namespace depnet {
namespace {

template <typename T>
using Out2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Runs the chains first..last-1 for `sweeps` sweeps; chain c belongs to row c / per_row.
void run(const Plan& plan, In1<std::int32_t> free_begin, In1<std::int32_t> free_node,
         In1<double> choice, In1<std::int32_t> positions, In1<std::int32_t> lengths,
         Out2<const std::uint8_t> clamped, std::int64_t per_row, bool sequential, bool record,
         std::int64_t sweeps, std::int64_t first, std::int64_t last, In1<std::uint64_t> keys,
         Out1<std::uint64_t> counters, Out2<std::uint16_t> codes, Out2<double> sums,
         Out2<double> weights, Out1<std::int64_t> impossible) {
    nb::gil_scoped_release release;
    const std::size_t n = plan.cards.size(), estimators = plan.estimators.size();
    Stepper stepper(plan);
    Row row;
    for (std::int64_t at = first; at < last;) {
        const std::int64_t r = at / per_row;
        const std::int64_t stop =
            std::min({last, (r + 1) * per_row, at + static_cast<std::int64_t>(kTogether)});
        if (row.number != r) {
            row.number = r;
            row.free = {free_node.data() + free_begin(r), free_node.data() + free_begin(r + 1)};
            row.choice = choice.size() ? choice.data() + free_begin(r) : nullptr;
            row.clamped = clamped.data() + r * n;
            row.positions = positions.data() + free_begin(r);
            row.length = lengths(r);
            if (sequential) stepper.weigh(row);
        }
        Chain group[kTogether];
        std::size_t size = 0;
        for (std::int64_t c = at; c < stop; ++c)
            group[size++] = {keys(c),
                             counters(c),
                             codes.data() + c * n,
                             sums.data() + c * static_cast<std::int64_t>(plan.cells),
                             weights.data() + c * estimators,
                             0};
        const std::span<Chain> chains(group, size);
        if (sequential)
            record ? stepper.sweep<true, true>(row, chains, sweeps)
                   : stepper.sweep<true, false>(row, chains, sweeps);
        else
            record ? stepper.sweep<false, true>(row, chains, sweeps)
                   : stepper.sweep<false, false>(row, chains, sweeps);
        for (std::int64_t c = at; c < stop; ++c) {
            counters(c) = group[c - at].counter;
            impossible(c) += group[c - at].impossible;
        }
        at = stop;
    }
}

// The marginals of rows first..last-1 of small free domains; `applied[r]` is how often the map was
// applied, 0 where it did not converge.
void solve(const Plan& plan, In1<std::int32_t> free_begin, In1<std::int32_t> free_node,
           In1<double> weights, bool sequential, double residual, std::int64_t most,
           std::int64_t first, std::int64_t last, Out2<const std::uint16_t> codes,
           Out2<double> sums, Out1<std::int64_t> applied) {
    nb::gil_scoped_release release;
    const std::size_t n = plan.cards.size();
    Solver solver(plan);
    for (std::int64_t r = first; r < last; ++r) {
        const std::span<const std::int32_t> free{free_node.data() + free_begin(r),
                                                 free_node.data() + free_begin(r + 1)};
        applied(r) = solver.solve(free, weights.data() + free_begin(r), sequential, residual, most,
                                  codes.data() + r * n, sums.data() + r * plan.cells);
    }
}

}  // namespace
}  // namespace depnet

NB_MODULE(batch, m) {
    using namespace depnet;
    nb::class_<Plan>(m, "Plan")
        .def(nb::init<In1<std::int32_t>>(), nb::arg("cardinalities"))
        .def("add_graph_node", &Plan::add_graph_node, nb::arg("targets"), nb::arg("variable"),
             nb::arg("begin"), nb::arg("children"), nb::arg("theta"))
        .def("add_table_node", &Plan::add_table_node, nb::arg("targets"), nb::arg("inputs"),
             nb::arg("leaves"), nb::arg("theta"))
        .def("add_estimator", &Plan::add_estimator, nb::arg("variables"))
        .def("link", nb::overload_cast<>(&Plan::link))
        .def_ro("cells", &Plan::cells);
    m.def("run", &run, nb::arg("plan"), nb::arg("free_begin"), nb::arg("free_node"),
          nb::arg("choice"), nb::arg("positions"), nb::arg("lengths"), nb::arg("clamped"),
          nb::arg("per_row"), nb::arg("sequential"), nb::arg("record"), nb::arg("sweeps"),
          nb::arg("first"), nb::arg("last"), nb::arg("keys"), nb::arg("counters").noconvert(),
          nb::arg("codes").noconvert(), nb::arg("sums").noconvert(), nb::arg("weights").noconvert(),
          nb::arg("impossible").noconvert());
    m.def("solve", &solve, nb::arg("plan"), nb::arg("free_begin"), nb::arg("free_node"),
          nb::arg("weights"), nb::arg("sequential"), nb::arg("residual"), nb::arg("most"),
          nb::arg("first"), nb::arg("last"), nb::arg("codes").noconvert(),
          nb::arg("sums").noconvert(), nb::arg("applied").noconvert());
}
