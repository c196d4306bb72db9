// Chains of a compiled network from Python, of one row of evidence or of many.

#include "chains.hpp"

#include <nanobind/stl/optional.h>

#include <numeric>
#include <optional>

#include "bindings.hpp"
#include "network.hpp"

namespace depnet::chains {
namespace {

// Which nodes each row of evidence updates; the arrays are the caller's.
struct RowScan {
    In1<std::int32_t> begin, node;
    In1<std::uint32_t> choice;
    bool sequential;
};

// The chains of all rows, `per_row` each; the arrays are the caller's.
struct ChainStates {
    std::int64_t per_row;
    In1<std::uint64_t> keys;
    Out2<std::uint16_t> codes;
};

// Where words come from if not from the keys, and where records go.
struct ChainOutput {
    std::optional<In2<std::uint64_t>> words;
    std::optional<In2<std::uint32_t>> place_words;
    std::optional<Out2<std::uint16_t>> out;
};

template <typename Array>
auto data_of(const std::optional<Array>& array) -> decltype(array->data()) {
    return array ? array->data() : nullptr;
}

std::int64_t dispatch(const Run& run) { DEPNET_DISPATCH(run_chains(run)) }

// A network whose chains run under what is known of all rows alike.
class ChainProgram {
  public:
    ChainProgram(Network& network, const Known& known)
        : network_(network),
          view_(network.view()),
          known_(known),
          steps_(network, known_, every_place(network).data(), network.variables(), false) {}

    std::int64_t run(const RowScan& scan, const ChainStates& states, const Task& task,
                     const ChainOutput& to) const {
        nb::gil_scoped_release release;
        Buffers buffers(network_);
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
                      data_of(to.out),
                      task};
        return dispatch(run);
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
(empty: all alike).)")
        .def(nb::init<In1<std::int32_t>, In1<std::int32_t>, In1<std::uint32_t>, bool>(),
             nb::kw_only(), arg("begin"), arg("node"), arg("choice"), arg("sequential"));
    nb::class_<ChainStates>(
        m, "ChainStates",
        R"(Chains, `per_row` for each row of evidence: chain c belongs to row c // per_row.

`codes` are their states, written by `run`, and `keys` those of their streams of words.)")
        .def(nb::init<Long, In1<std::uint64_t>, Out2<std::uint16_t>>(), nb::kw_only(),
             arg("per_row"), arg("keys"), arg("codes").noconvert());
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
                            R"(Where the records of chains go.

Record r of chain c is column r * chains + c of `out` [variables, records * chains]. `words` [updates, chains] and
`place_words` [records, chains] take the place of the chains' streams.)")
        .def(nb::init<std::optional<In2<std::uint64_t>>, std::optional<In2<std::uint32_t>>,
                      std::optional<Out2<std::uint16_t>>>(),
             nb::kw_only(), arg("words").none(), arg("place_words").none(),
             arg("out").noconvert().none());
    nb::class_<ChainProgram>(m, "ChainProgram", "A network under what is known of all rows alike.")
        .def(nb::init<Network&, const Known&>(), arg("network"), arg("known"),
             nb::keep_alive<1, 2>())
        .def("run", &ChainProgram::run, arg("scan"), arg("chains"), arg("task"), arg("output"),
             R"(Run chains. A sweep is as many updates as the row has free nodes.

Update number t of a chain takes the word t of its stream: the low half draws the state, the high half chooses the node of
a random scan. Returns -1, or the variable of a node that found no possible state, and left the chain where it was.)");
}
