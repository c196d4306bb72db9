// Pseudo-Gibbs sampling: the door between numpy arrays and the kernels of each instruction set.

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>

#include "bindings.hpp"
#include "isa.hpp"
#include "network.hpp"
#include "sampler_program.hpp"

namespace depnet::sampler {
namespace {

using Words = std::optional<In2<std::uint32_t>>;

// A seed of the counter generator with its streams, or the caller's words.
struct WordSource {
    std::uint64_t seed;
    Words words, place_words;
    std::uint32_t stream, place_stream;

    Randomness view() const {
        return {seed, stream, place_stream, words ? words->data() : nullptr,
                place_words ? place_words->data() : nullptr};
    }
};

// How nodes are chosen, owned.
struct NodeChoice {
    std::int64_t nodes;
    bool random, uniform;
    std::vector<std::uint32_t> thresholds;
    std::vector<std::int32_t> guide;

    NodeChoice(std::int64_t nodes, bool random, std::optional<In1<std::uint32_t>> choice)
        : nodes(nodes), random(random), uniform(!choice) {
        if (!choice) return;
        thresholds = copied(*choice);
        for (std::uint64_t top = 0; top < std::uint64_t{1} << (32 - kGuideShift); ++top) {
            const auto word = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(top << kGuideShift, kAlways - 1));
            guide.push_back(static_cast<std::int32_t>(
                std::upper_bound(thresholds.begin(), thresholds.end(), word) - thresholds.begin()));
        }
    }

    Scan view() const { return {nodes, random, uniform, thresholds.data(), guide.data()}; }
};

// The chains of a network whose free nodes are at `places`, in the order of the scan.
class Chains {
  public:
    Chains(Network& network, const Known& known, const NodeChoice& choice, In1<std::int32_t> places)
        : network_(network),
          view_(network.view()),
          known_(known),
          choice_(choice),
          steps_(network, known_, places.data(), places.size(), false) {}

    template <typename Code>
    std::int64_t run(Task task, const WordSource& words, Out1<Code> state, Out2<Code> out) const {
        task.out_stride = static_cast<std::int64_t>(out.shape(1));
        nb::gil_scoped_release release;
        Buffers buffers(network_);
        DEPNET_DISPATCH(codes(program(buffers), task, words.view(), state.data(), out.data()))
    }

    template <typename Code>
    std::int64_t trace(const WordSource& words, std::int64_t first_step, Out1<Code> state,
                       Out2<Code> out) const {
        nb::gil_scoped_release release;
        const auto steps = static_cast<std::int64_t>(out.shape(0));
        Buffers buffers(network_);
        DEPNET_DISPATCH(
            trace(program(buffers), words.view(), first_step, steps, state.data(), out.data()))
    }

  private:
    Program program(Buffers& buffers) const {
        return {view_, choice_.view(), steps_.data(), buffers.scratch()};
    }

    const Network& network_;  // which Python keeps alive
    View view_;
    Known known_;
    NodeChoice choice_;
    Steps steps_;
};

static_assert(sizeof(PackedNode<1>) == 6 * sizeof(std::uint64_t));
static_assert(sizeof(PackedNode<2>) == 9 * sizeof(std::uint64_t));
static_assert(sizeof(PackedNode<4>) == 15 * sizeof(std::uint64_t));
static_assert(sizeof(PackedVariable) == 3 * sizeof(std::uint64_t));

struct PackedNodes {
    NodeChoice choice;
    std::vector<std::uint64_t> heads, patterns, variables;
    std::vector<std::uint32_t> thresholds;
    std::int64_t cells, width;

    PackedNodes(const NodeChoice& choice, In1<std::uint64_t> heads, In1<std::uint32_t> thresholds,
                In1<std::uint64_t> patterns, In1<std::uint64_t> variables, std::int64_t cells,
                std::int64_t width)
        : choice(choice),
          heads(copied(heads)),
          patterns(copied(patterns)),
          variables(copied(variables)),
          thresholds(copied(thresholds)),
          cells(cells),
          width(width) {}

    void run(Task task, const WordSource& words, Out1<std::uint64_t> state,
             Out2<std::uint8_t> out) const {
        task.out_stride = static_cast<std::int64_t>(out.shape(1));
        nb::gil_scoped_release release;
        const PackedProgram p{
            choice.view(),   static_cast<std::int64_t>(variables.size() / 3),
            heads.data(),    thresholds.data(),
            patterns.data(), reinterpret_cast<const PackedVariable*>(variables.data()),
            cells,           width};
        DEPNET_DISPATCH(packed(p, task, words.view(), state.data(), out.data()))
    }
};

void make_words(std::uint64_t seed, std::uint32_t stream, std::uint64_t first,
                std::int64_t first_chain, Out2<std::uint32_t> out) {
    nb::gil_scoped_release release;
    const auto rows = static_cast<std::int64_t>(out.shape(0));
    const auto chains = static_cast<std::int64_t>(out.shape(1));
    DEPNET_DISPATCH(words(seed, stream, first, first_chain, chains, rows, out.data()))
}

}  // namespace
}  // namespace depnet::sampler

void depnet::bind_chains(nb::module_& m) {
    using namespace depnet::sampler;
    using nb::arg;
    using Long = std::int64_t;
    nb::class_<Task>(
        m, "Task",
        R"(Run `lead` sweeps, record a row of every chain, and again with `gap` sweeps between records.

The chains are first_chain, ..., first_chain + chains - 1; `first_sweep` and `first_record` say how far they have come.
Record r of chain c is row first_row + r * record_stride + c - first_chain of the output. Under the sequential scan a row
is recorded just before the update at a random place of a sweep, which is then finished.)")
        .def(nb::init<Long, Long, Long, Long, Long, Long, Long, Long, Long>(), arg("first_chain"),
             arg("chains"), nb::kw_only(), arg("first_sweep") = 0, arg("first_record") = 0,
             arg("lead") = 0, arg("gap") = 0, arg("records") = 0, arg("first_row") = 0,
             arg("record_stride") = 0)
        .def_ro("first_chain", &Task::first_chain)
        .def_ro("chains", &Task::chains)
        .def_ro("first_sweep", &Task::first_sweep)
        .def_ro("first_record", &Task::first_record)
        .def_ro("lead", &Task::lead)
        .def_ro("gap", &Task::gap)
        .def_ro("records", &Task::records)
        .def_ro("first_row", &Task::first_row)
        .def_ro("record_stride", &Task::record_stride);
    nb::class_<WordSource>(m, "WordSource",
                           R"(Where random words come from: the counter generator, or the caller.

`words` are [words a chain, chains], `place_words` [records, chains]; without them, those of the streams of `seed`.)")
        .def(nb::init<std::uint64_t, Words, Words, std::uint32_t, std::uint32_t>(), arg("seed"),
             arg("words").none(), arg("place_words").none(), arg("stream"), arg("place_stream"));
    nb::class_<NodeChoice>(
        m, "NodeChoice",
        R"(How the scan of `nodes` nodes chooses: at random, or one after the other.

`choice` are the thresholds of a random scan with weights of its own; without, all nodes are alike.)")
        .def(nb::init<Long, bool, std::optional<In1<std::uint32_t>>>(), nb::kw_only(), arg("nodes"),
             arg("random"), arg("choice").none());
    nb::class_<Chains>(
        m, "Chains",
        R"(Chains of a network: its free nodes at `places`, in the order of the scan, under what is known of their variables.)")
        .def(nb::init<Network&, const Known&, const NodeChoice&, In1<std::int32_t>>(),
             arg("network"), arg("known"), arg("choice"), arg("places"), nb::keep_alive<1, 2>())
        .def(
            "run", &Chains::run<std::uint8_t>, arg("task"), arg("words"), arg("state").noconvert(),
            arg("out").noconvert(),
            R"(Run the chains of `task`, whose codes are in `state` (tiles of 64 chains, the last one padded).

A tile is [variable][64]; `out` is [variables, rows].
Returns -1, or the place in the scan of a node that reached a row in which the evidence leaves nothing possible.)")
        .def("run", &Chains::run<std::uint16_t>, arg("task"), arg("words"),
             arg("state").noconvert(), arg("out").noconvert())
        .def("trace", &Chains::trace<std::uint8_t>, arg("words"), arg("first_step"),
             arg("state").noconvert(), arg("out").noconvert(),
             "Run one chain step by step: `out[t]` ([steps, variables]) is the state before "
             "update t.")
        .def("trace", &Chains::trace<std::uint16_t>, arg("words"), arg("first_step"),
             arg("state").noconvert(), arg("out").noconvert());
    nb::class_<PackedNodes>(m, "PackedNodes",
                            R"(Nodes for chains whose state is `width` (1, 2 or 4) words of 64 bits.

`heads` holds 3 * width + 3 numbers a node: masks of the inputs' bits, where the bits of each word go in the number of the
row, masks of what the node leaves alone, first threshold, first pattern, and the position of a binary target. Rows have
`cells` (1, 3 or 7) thresholds each. `patterns` [state][word] are the bits of a node's states. `variables` holds (word,
shift, mask) of every variable.)")
        .def(nb::init<const NodeChoice&, In1<std::uint64_t>, In1<std::uint32_t>, In1<std::uint64_t>,
                      In1<std::uint64_t>, Long, Long>(),
             arg("choice"), nb::kw_only(), arg("heads"), arg("thresholds"), arg("patterns"),
             arg("variables"), arg("cells"), arg("width"))
        .def("run", &PackedNodes::run, arg("task"), arg("words"), arg("state").noconvert(),
             arg("out").noconvert(), "As `Chains.run`, for chains whose `state` is [chain][word].");
    m.def("words", &make_words, arg("seed"), arg("stream"), arg("first"), arg("first_chain"),
          arg("out").noconvert(),
          "Write words first, first + 1, ... of neighbouring chains into `out` [words, chains].");
}
