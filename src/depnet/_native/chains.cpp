// Chains of a compiled network from Python, of one row of evidence or of many, and what those of
// one row estimate.

#include "chains.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <optional>
#include <span>

#include "bindings.hpp"
#include "network.hpp"

namespace depnet::chains {
namespace {

// Which nodes each row of evidence updates; the arrays are the caller's.
struct RowScan {
    In1<std::int32_t> begin, node;
    In1<std::uint32_t> choice;
    In1<std::int32_t> position, length;
    bool sequential;

    std::span<const std::int32_t> free(std::int64_t r) const {
        return {node.data() + begin(r), node.data() + begin(r + 1)};
    }
};

// The chains of all rows, `per_row` each; the arrays are the caller's.
struct ChainStates {
    std::int64_t per_row;
    In1<std::uint64_t> keys;
    Out2<std::uint16_t> codes;
    Out1<std::int64_t> impossible;
};

// Where words come from if not from the keys, where records go, and what updates add to.
struct ChainOutput {
    std::optional<In2<std::uint64_t>> words;
    std::optional<In2<std::uint32_t>> place_words;
    std::optional<Out2<std::uint16_t>> out;
    std::optional<Out2<double>> sums, weights;
};

// The joint laws of some variables each, and which of their cells the updates of a node feed.
struct Estimators {
    std::vector<std::int32_t> begin{0};
    std::vector<Pair> pairs;
    std::vector<Other> others;
    std::vector<std::int32_t> first_cell;  // of each
    std::int32_t cells = 0;

    Estimators(const Network& network, const std::vector<std::vector<std::int32_t>>& tables) {
        const auto& cards = network.cardinalities();
        for (const auto& variables : tables) {
            first_cell.push_back(cells);
            cells += std::accumulate(variables.begin(), variables.end(), 1,
                                     [&](std::int32_t k, std::int32_t i) { return k * cards[i]; });
        }
        for (std::size_t place = 0; place < network.variables(); ++place) {
            for (std::size_t e = 0; e < tables.size(); ++e)
                link(cards, network.node(place).variable, tables[e], static_cast<std::int32_t>(e));
            begin.push_back(static_cast<std::int32_t>(pairs.size()));
        }
    }

  private:
    void link(const std::vector<std::int32_t>& cards, std::int32_t variable,
              const std::vector<std::int32_t>& table, std::int32_t e) {
        if (std::find(table.begin(), table.end(), variable) == table.end()) return;
        const auto first = static_cast<std::int32_t>(others.size());
        Pair pair{e, first_cell[static_cast<std::size_t>(e)], 0, first, 0};
        std::int32_t stride = 1;
        for (std::size_t j = table.size(); j-- > 0; stride *= cards[table[j]])
            if (table[j] == variable)
                pair.stride = stride;
            else
                others.push_back({table[j], stride});
        pair.other_end = static_cast<std::int32_t>(others.size());
        pairs.push_back(pair);
    }
};

// Sequential scan of one row: an update of an estimator's targets stands until the next one, a
// share (steps until then) / (steps of a sweep), nodes counted that are left out as irrelevant.
struct Shares {
    std::vector<double> shares;
    std::vector<std::int64_t> begin;  // of each node of the scan

    Shares(const RowScan& scan, const Estimators& to) {
        const auto free = scan.free(0);
        for (const std::int32_t node : free) {
            begin.push_back(static_cast<std::int64_t>(shares.size()));
            shares.resize(shares.size() + to.begin[node + 1] - to.begin[node]);
        }
        std::vector<std::ptrdiff_t> next(to.first_cell.size(), -1);
        for (std::size_t again = 2 * free.size(); again-- > 0;) {  // twice round, backwards
            const std::size_t p = again % free.size();
            const bool counts = again < free.size();
            const std::ptrdiff_t now = scan.position(p) + (counts ? 0 : scan.length(0));
            for (std::int32_t q = to.begin[free[p]]; q < to.begin[free[p] + 1]; ++q) {
                std::ptrdiff_t& following = next[to.pairs[q].estimator];
                if (counts)
                    shares[begin[p] + q - to.begin[free[p]]] =
                        static_cast<double>(following - now) / static_cast<double>(scan.length(0));
                following = now;
            }
        }
    }
};

template <typename Array>
auto data_of(const std::optional<Array>& array) -> decltype(array->data()) {
    return array ? array->data() : nullptr;
}

std::int64_t dispatch(const Run& run, std::uint16_t* tile) {
    DEPNET_DISPATCH(run_chains(run, tile))
}

// A network whose chains run under what is known of all rows alike.
class ChainProgram {
  public:
    ChainProgram(Network& network, const Known& known,
                 const std::vector<std::vector<std::int32_t>>& estimators)
        : network_(network),
          view_(network.view()),
          known_(known),
          steps_(network, known_, every_place(network).data(), network.variables(), false),
          estimators_(network, estimators) {}

    std::int32_t cells() const { return estimators_.cells; }

    std::int64_t run(const RowScan& scan, const ChainStates& states, const Task& task,
                     const ChainOutput& to) const {
        nb::gil_scoped_release release;
        std::vector<std::uint16_t> tile(network_.variables() * kRows);
        Buffers buffers(network_);
        std::optional<Shares> shares;
        if (to.sums && scan.sequential) shares.emplace(scan, estimators_);
        const Estimates estimates{estimators_.begin.data(),
                                  estimators_.pairs.data(),
                                  estimators_.others.data(),
                                  estimators_.cells,
                                  static_cast<std::int64_t>(estimators_.first_cell.size()),
                                  shares ? shares->shares.data() : nullptr,
                                  shares ? shares->begin.data() : nullptr,
                                  data_of(to.sums),
                                  data_of(to.weights)};
        const Run run{view_,
                      steps_.data(),
                      buffers.scratch(),
                      !scan.sequential,
                      static_cast<std::int64_t>(states.codes.shape(0)),
                      states.per_row,
                      scan.begin.data(),
                      scan.node.data(),
                      scan.choice.size() ? scan.choice.data() : nullptr,
                      states.keys.data(),
                      data_of(to.words),
                      data_of(to.place_words),
                      states.codes.data(),
                      states.impossible.data(),
                      data_of(to.out),
                      estimates,
                      task};
        return dispatch(run, tile.data());
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
}  // namespace depnet::chains

void depnet::bind_chains(nb::module_& m) {
    using namespace depnet::chains;
    using nb::arg;
    using Long = std::int64_t;
    nb::class_<RowScan>(m, "RowScan",
                        R"(Which nodes each row of evidence updates, and how they are scanned.

Row r updates `node[begin[r] : begin[r + 1]]`, in the order of the scan. `choice` are their thresholds under the random scan
(empty: all alike). Under the sequential scan, `position` are their places in a full sweep of `length[r]` steps.)")
        .def(nb::init<In1<std::int32_t>, In1<std::int32_t>, In1<std::uint32_t>, In1<std::int32_t>,
                      In1<std::int32_t>, bool>(),
             nb::kw_only(), arg("begin"), arg("node"), arg("choice"), arg("position"),
             arg("length"), arg("sequential"));
    nb::class_<ChainStates>(
        m, "ChainStates",
        R"(Chains, `per_row` for each row of evidence: chain c belongs to row c // per_row.

`codes` are their states, `keys` those of their streams of words, and `impossible` counts the estimated updates that found
no possible state. Codes and counts are written by `run`.)")
        .def(nb::init<Long, In1<std::uint64_t>, Out2<std::uint16_t>, Out1<std::int64_t>>(),
             nb::kw_only(), arg("per_row"), arg("keys"), arg("codes").noconvert(),
             arg("impossible").noconvert());
    nb::class_<Task>(
        m, "Task",
        R"(Run `lead` sweeps, record a state of every chain, and again with `gap` sweeps between records.

The chains are first, ..., last - 1; `first_sweep` and `first_record` say how far they have come. Under the sequential scan
a state is recorded just before the update at a random place of a sweep, which is then finished. A `trace` records the
state before each of `records` updates instead.)")
        .def(nb::init<Long, Long, Long, Long, Long, Long, Long, bool>(), nb::kw_only(),
             arg("first"), arg("last"), arg("first_sweep"), arg("first_record"), arg("lead"),
             arg("gap"), arg("records"), arg("trace"));
    nb::class_<ChainOutput>(m, "ChainOutput",
                            R"(Where the records of chains go, and what their updates add to.

Record r of chain c is column r * chains + c of `out` [variables, records * chains]. Where they are given, every update
adds its theta to `sums` [chain, cell] and its weight to `weights` [chain, estimator]; then there is one row. `words` [updates, chains] and
`place_words` [records, chains] take the place of the chains' streams.)")
        .def(nb::init<std::optional<In2<std::uint64_t>>, std::optional<In2<std::uint32_t>>,
                      std::optional<Out2<std::uint16_t>>, std::optional<Out2<double>>,
                      std::optional<Out2<double>>>(),
             nb::kw_only(), arg("words").none(), arg("place_words").none(),
             arg("out").noconvert().none(), arg("sums").noconvert().none(),
             arg("weights").noconvert().none());
    nb::class_<ChainProgram>(
        m, "ChainProgram",
        R"(A network under what is known of all rows alike, and the joint laws of variables that are estimated.

Each of `estimators` is a list of variables, the next cells of the sums, row-major.)")
        .def(nb::init<Network&, const Known&, const std::vector<std::vector<std::int32_t>>&>(),
             arg("network"), arg("known"), arg("estimators"), nb::keep_alive<1, 2>())
        .def_prop_ro("cells", &ChainProgram::cells, "The cells of all estimators together.")
        .def("run", &ChainProgram::run, arg("scan"), arg("chains"), arg("task"), arg("output"),
             R"(Run chains. A sweep is as many updates as the row has free nodes.

Update number t of a chain takes the word t of its stream: the low half draws the state, the high half chooses the node of
a random scan. Returns -1, or the variable of a node that found no possible state, and left the chain where it was.)");
}
