// The law Q(x) = product over i of theta_i(x_i | y_i) of an ordered network: weighted passes and
// moves. Slow twins: tests/reference/ordered.py.

#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings.hpp"
#include "isa.hpp"
#include "law_kernels.hpp"
#include "network.hpp"

namespace depnet::law {
namespace {

template <typename Code>
void passes(Network& network, const Known& known, In1<std::int32_t> places,
            std::optional<In2<std::uint8_t>> roles, std::uint64_t seed, std::int64_t first,
            std::optional<In2<std::uint32_t>> words,
            nb::ndarray<nb::numpy, Code, nb::ndim<2>, nb::f_contig, nb::device::cpu> codes,
            Out1<double> log_weights) {
    const View view = network.view();
    nb::gil_scoped_release release;
    const Steps steps(network, known, places.data(), places.size(), !roles);
    std::vector<bool> drawn(network.variables());
    for (std::size_t k = 0; k < places.size() && !roles; ++k)
        drawn[static_cast<std::size_t>(view.nodes[places(k)].variable)] = true;
    std::vector<std::int32_t> given;
    for (std::size_t i = 0; i < drawn.size(); ++i)
        if (!drawn[i]) given.push_back(static_cast<std::int32_t>(i));
    std::vector<std::uint16_t> tile(network.variables() * kRows);
    Buffers buffers(network);
    const PassTask task{steps.data(),
                        steps.size(),
                        given.data(),
                        given.size(),
                        roles ? roles->data() : nullptr,
                        seed,
                        first,
                        words ? words->data() : nullptr,
                        static_cast<std::int64_t>(words ? words->shape(1) : 0),
                        codes.shape(0),
                        log_weights.data(),
                        tile.data(),
                        buffers.scratch()};
    DEPNET_DISPATCH(pass(view, task, codes.data()))
}

void make_words(std::uint64_t seed, std::uint32_t stream, std::uint64_t first,
                std::int64_t first_chain, Out2<std::uint32_t> out) {
    nb::gil_scoped_release release;
    const auto rows = static_cast<std::int64_t>(out.shape(0));
    const auto chains = static_cast<std::int64_t>(out.shape(1));
    DEPNET_DISPATCH(words(seed, stream, first, first_chain, chains, rows, out.data()))
}

// Which sweeps of which rows.
struct MoveSchedule {
    std::uint64_t seed;
    std::int64_t first_row, first_sweep, sweeps;
};

// Where moves leave the sums of their conditionals, and how often they found no possible state; the
// arrays are the caller's.
struct MoveSums {
    In1<std::int32_t> cells;
    Out2<double> sums;
    Out1<std::int64_t> impossible;
};

// Sweeps over the hidden variables of each row, in the order. Word t of a row's stream is that of
// its t-th update of all sweeps, `first_sweep` having been made before.
void moves(Network& network, const Known& known, const MoveSchedule& schedule,
           In1<std::uint8_t> active, In2<std::uint8_t> hidden, Out2<std::uint16_t> codes,
           const MoveSums& found) {
    if (known.begin.size() != network.variables())
        throw std::invalid_argument("one begin a variable");
    const View view = network.view();
    nb::gil_scoped_release release;
    std::vector<std::uint16_t> tile(network.variables() * kRows);
    std::vector<double> logs(network.most_states() * kRows);
    std::vector<std::int32_t> totals(network.sums());
    Buffers buffers(network);
    const MoveTask task{
        active.data(),        known.begin.data(),   known.log_weights.data(), schedule.seed,
        schedule.first_row,   schedule.first_sweep, schedule.sweeps,          hidden.data(),
        hidden.shape(0) == 1, codes.data(),         codes.shape(0),           found.cells.data(),
        found.sums.data(),    found.sums.shape(1),  found.impossible.data(),  tile.data(),
        logs.data(),          totals.data(),        buffers.scratch()};
    DEPNET_DISPATCH(move(view, task))
}

template <typename Code>
void bind_passes(nb::module_& m, const char* doc) {
    using nb::arg;
    m.def("passes", &passes<Code>, arg("network"), arg("known"), nb::kw_only(), arg("places"),
          arg("roles").none(), arg("seed"), arg("first"), arg("words").none(),
          arg("codes").noconvert(), arg("log_weights").noconvert(), doc);
}

}  // namespace
}  // namespace depnet::law

void depnet::bind_law(nb::module_& m) {
    using namespace depnet::law;
    using nb::arg;
    bind_passes<std::uint8_t>(
        m,
        R"(One pass of every row of `codes` ([rows, n], column-major) over the nodes at `places` of the order, ascending.

A variable of which something is known is drawn in proportion to theta w, and log of their sum is added to `log_weights`.
Word p of a row is that of the node at place p: of the counter generator, row r being chain `first` + r, or of `words`
[place, row].

With `roles` [rows, n], of what nothing is known, X_i of a row is left as it is (0), drawn (1), or log theta_i of its code is
added to the row's weight (2).)");
    bind_passes<std::uint16_t>(m, "");
    m.def("words", &make_words, arg("seed"), arg("stream"), arg("first"), arg("first_chain"),
          arg("out").noconvert(),
          "Write words first, first + 1, ... of neighbouring chains into `out` [words, chains].");
    nb::class_<MoveSchedule>(m, "MoveSchedule", "Which sweeps of moves, and of which rows.")
        .def(nb::init<std::uint64_t, std::int64_t, std::int64_t, std::int64_t>(), nb::kw_only(),
             arg("seed"), arg("first_row"), arg("first_sweep"), arg("sweeps"));
    nb::class_<MoveSums>(
        m, "MoveSums",
        R"(What moves find. Where `sums` has columns, each conditional is added to `sums[row, cells[i] :]`.

`impossible[row]` counts updates that found no possible state, and left the row as it was.)")
        .def(nb::init<In1<std::int32_t>, Out2<double>, Out1<std::int64_t>>(), nb::kw_only(),
             arg("cells"), arg("sums").noconvert(), arg("impossible").noconvert());
    m.def(
        "moves", &moves, arg("network"), arg("known"), arg("schedule"), nb::kw_only(),
        arg("active"), arg("hidden"), arg("codes").noconvert(), arg("found"),
        R"(Sweeps over the `hidden` variables of every row of `codes` ([rows, n], row-major), in the order.

X_i is drawn from its conditional under the law of the `active` places given all others: theta_i times its weights times
the tables of the active nodes that read it. `hidden` is [rows, n], or [1, n] for all rows alike.)");
}
