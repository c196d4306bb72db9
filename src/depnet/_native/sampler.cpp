// Pseudo-Gibbs sampling: the door between numpy arrays and the kernels of each instruction set.

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include "arrays.hpp"
#include "isa.hpp"
#include "sampler_kernels.hpp"
#include "stages_kept.hpp"

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
                std::min<std::uint64_t>(top << kGuideShift, kLargestWord - 1));
            guide.push_back(static_cast<std::int32_t>(
                std::upper_bound(thresholds.begin(), thresholds.end(), word) - thresholds.begin()));
        }
    }

    Scan view() const { return {nodes, random, uniform, thresholds.data(), guide.data()}; }
};

// The arrays of a Program, owned.
class Nodes {
  public:
    Nodes(std::int64_t variables, const NodeChoice& choice)
        : variables_(variables), choice_(choice) {}

    void add_table(std::int64_t variable, In2<std::uint32_t> thresholds, std::int64_t limit,
                   In2<std::int32_t> inputs, std::int64_t base,
                   std::optional<In1<std::int32_t>> leaves) {
        Node node = started(variable, thresholds, limit, leaves ? kMapped : kDirect);
        node.base = base;
        node.inputs = static_cast<std::int64_t>(inputs_.size() / 2);
        node.input_count = static_cast<std::int64_t>(inputs.shape(0));
        inputs_.insert(inputs_.end(), inputs.data(), inputs.data() + inputs.size());
        node.extra = static_cast<std::int64_t>(leaf_map_.size());
        if (leaves)
            leaf_map_.insert(leaf_map_.end(), leaves->data(), leaves->data() + leaves->size());
        nodes_.push_back(node);
    }

    void add_graph(std::int64_t variable, In2<std::uint32_t> thresholds, std::int64_t limit,
                   In1<std::int32_t> tested, In1<std::int32_t> begin, In1<std::int32_t> children) {
        Node node = started(variable, thresholds, limit, kWalk);
        const auto root = static_cast<std::int32_t>(vertices_.size());
        const auto first = static_cast<std::int32_t>(children_.size());
        node.extra = root;
        for (std::size_t c = 0; c < children.size(); ++c) children_.push_back(root + children(c));
        for (std::size_t v = 0; v < tested.size(); ++v) {
            if (tested(v) >= 0) {
                vertices_.push_back({tested(v), first + begin(v), 1, 0});
            } else {  // a leaf leads to itself
                vertices_.push_back({0, static_cast<std::int32_t>(children_.size()), 0, begin(v)});
                children_.push_back(root + static_cast<std::int32_t>(v));
            }
        }
        nodes_.push_back(node);
    }

    // The node that was added last is boosted.
    void add_stages(In1<std::int32_t> variable, In1<std::uint16_t> low, In1<std::uint16_t> high,
                    In1<std::int32_t> begin, In1<std::uint16_t> leaf, In1<std::int32_t> test,
                    In2<std::int32_t> scores, std::optional<In1<double>> weights) {
        nodes_.back().boosted = static_cast<std::int64_t>(kept_.size());
        kept_.emplace_back(variable, low, high, begin, leaf, test, scores);
        weights_.push_back(weights ? copied(*weights) : std::vector<double>{});
    }

    template <typename Code>
    std::int64_t run(Task task, const WordSource& words, Out1<Code> state, Out2<Code> out) const {
        task.out_stride = static_cast<std::int64_t>(out.shape(1));
        nb::gil_scoped_release release;
        const Scratch scratch = scratch_of();
        DEPNET_DISPATCH(codes(view(scratch), task, words.view(), state.data(), out.data()))
    }

    template <typename Code>
    std::int64_t trace(const WordSource& words, std::int64_t first_step, Out1<Code> state,
                       Out2<Code> out) const {
        nb::gil_scoped_release release;
        const auto steps = static_cast<std::int64_t>(out.shape(0));
        const Scratch scratch = scratch_of();
        DEPNET_DISPATCH(
            trace(view(scratch), words.view(), first_step, steps, state.data(), out.data()))
    }

  private:
    Node started(std::int64_t variable, In2<std::uint32_t> thresholds, std::int64_t limit,
                 Kind kind) {
        Node node{};
        node.variable = variable;
        node.kind = kind;
        node.thresholds = static_cast<std::int64_t>(thresholds_.size());
        node.cells = static_cast<std::int64_t>(thresholds.shape(1));
        node.limit = limit;
        node.boosted = kNotBoosted;
        thresholds_.insert(thresholds_.end(), thresholds.data(),
                           thresholds.data() + thresholds.size());
        return node;
    }

    // What one call computes boosted nodes in.
    struct Scratch {
        std::vector<Boosted> boosted;
        mutable std::vector<std::int32_t> scores;
        mutable std::vector<double> theta;
    };

    Scratch scratch_of() const {
        Scratch made;
        std::size_t most = 0;
        for (std::size_t k = 0; k < kept_.size(); ++k) {
            made.boosted.push_back(
                {kept_[k].view(), weights_[k].empty() ? nullptr : weights_[k].data()});
            most = std::max(most, made.boosted.back().stages.states);
        }
        made.scores.resize(most);
        made.theta.resize(most);
        return made;
    }

    Program view(const Scratch& scratch) const {
        return {variables_,
                choice_.view(),
                nodes_.data(),
                thresholds_.data(),
                inputs_.data(),
                leaf_map_.data(),
                vertices_.data(),
                children_.data(),
                scratch.boosted.data(),
                scratch.scores.data(),
                scratch.theta.data()};
    }

    std::int64_t variables_;
    NodeChoice choice_;
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> thresholds_;
    std::vector<std::int32_t> inputs_, leaf_map_, children_;
    std::vector<Vertex> vertices_;
    std::vector<stages::Kept> kept_;
    std::vector<std::vector<double>> weights_;
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

static_assert(sizeof(SlicedNode) == 6 * sizeof(std::int64_t));

struct SlicedNodes {
    std::vector<std::int64_t> heads;
    std::vector<std::int32_t> vertices;
    std::vector<std::uint32_t> thresholds;
    std::vector<std::uint64_t> planes;
    std::int64_t variables, most_slots;

    SlicedNodes(std::int64_t variables, In1<std::int64_t> heads, In1<std::int32_t> vertices,
                In1<std::uint32_t> thresholds)
        : heads(copied(heads)),
          vertices(copied(vertices)),
          thresholds(copied(thresholds)),
          variables(variables),
          most_slots(1) {
        for (std::size_t k = 0; k < this->heads.size(); k += 6) {
            const std::int64_t first = this->heads[k + 3], leaves = this->heads[k + 4];
            this->heads[k + 5] = static_cast<std::int64_t>(planes.size());
            for (int b = 31; b >= 0; --b)
                for (std::int64_t l = first; l < first + leaves; ++l)
                    planes.push_back((this->thresholds[l] >> b & 1) ? ~std::uint64_t{0} : 0);
            most_slots = std::max(most_slots, this->heads[k + 2] + leaves);
        }
    }

    void run(Task task, const WordSource& words, Out1<std::uint64_t> state,
             Out2<std::uint8_t> out) const {
        task.out_stride = static_cast<std::int64_t>(out.shape(1));
        nb::gil_scoped_release release;
        const SlicedProgram p{variables,
                              static_cast<std::int64_t>(heads.size() / 6),
                              reinterpret_cast<const SlicedNode*>(heads.data()),
                              vertices.data(),
                              thresholds.data(),
                              planes.data(),
                              most_slots};
        // Masks of one node, then two planes of 4096 chains for every place: what SlicedRun cuts.
        const std::size_t bytes = 64 * static_cast<std::size_t>(most_slots + 2 * 8 * p.node_count);
        const std::unique_ptr<void, decltype(&std::free)> room(std::aligned_alloc(64, bytes),
                                                               &std::free);
        if (!room) throw std::bad_alloc();
        auto* scratch = static_cast<std::uint64_t*>(room.get());
        DEPNET_DISPATCH(sliced(p, task, words.view(), state.data(), scratch, out.data()))
    }
};

std::uint32_t scalar_words(std::uint64_t seed, std::int64_t blocks) {
    nb::gil_scoped_release release;
    return portable::scalar_words(seed, blocks);
}

void make_words(std::uint64_t seed, std::uint32_t stream, std::uint64_t first,
                std::int64_t first_chain, Out2<std::uint32_t> out) {
    nb::gil_scoped_release release;
    const auto rows = static_cast<std::int64_t>(out.shape(0));
    const auto chains = static_cast<std::int64_t>(out.shape(1));
    DEPNET_DISPATCH(words(seed, stream, first, first_chain, chains, rows, out.data()))
}

}  // namespace
}  // namespace depnet::sampler

NB_MODULE(sampler, m) {
    using namespace depnet;
    using namespace depnet::sampler;
    using nb::arg;
    using Long = std::int64_t;
    nb::class_<Task>(
        m, "Task",
        R"(Run `lead` sweeps, record a row of every chain, and again with `gap` sweeps between records.

The chains are first_chain, ..., first_chain + chains - 1; `first_sweep` and `first_record` say how far they have come.
Record r of chain c is row first_row + r * record_stride + c - first_chain of the output. Under the sequential scan a row
is recorded just before the update at a random place of a sweep, which is then finished, unless `at_boundary`.)")
        .def(nb::init<Long, Long, Long, Long, Long, Long, Long, Long, Long, bool>(),
             arg("first_chain"), arg("chains"), nb::kw_only(), arg("first_sweep") = 0,
             arg("first_record") = 0, arg("lead") = 0, arg("gap") = 0, arg("records") = 0,
             arg("first_row") = 0, arg("record_stride") = 0, arg("at_boundary") = false)
        .def_ro("first_chain", &Task::first_chain)
        .def_ro("chains", &Task::chains)
        .def_ro("first_sweep", &Task::first_sweep)
        .def_ro("first_record", &Task::first_record)
        .def_ro("lead", &Task::lead)
        .def_ro("gap", &Task::gap)
        .def_ro("records", &Task::records)
        .def_ro("first_row", &Task::first_row)
        .def_ro("record_stride", &Task::record_stride)
        .def_ro("at_boundary", &Task::at_boundary);
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
    nb::class_<Nodes>(m, "Nodes", R"(The free nodes of a network, added in the order of the scan.

`thresholds` are [leaf, cells]; a state at or beyond `limit` means that the evidence leaves nothing possible.)")
        .def(nb::init<Long, const NodeChoice&>(), arg("variables"), arg("choice"))
        .def("add_table", &Nodes::add_table, arg("variable"), arg("thresholds"), arg("limit"),
             arg("inputs"), arg("base"), arg("leaves").none(),
             "The row is base + sum of stride * code over `inputs` [input, (variable, stride)], "
             "or `leaves` at that place.")
        .def("add_graph", &Nodes::add_graph, arg("variable"), arg("thresholds"), arg("limit"),
             arg("tested"), arg("begin"), arg("children"),
             "The row is the leaf that the compiled decision graph leads to.")
        .def(
            "add_stages", &Nodes::add_stages, arg("variable"), arg("low"), arg("high"),
            arg("begin"), arg("leaf"), arg("test"), arg("scores"), arg("weights").none(),
            R"(The node that was added last is boosted: its rows are first scores, 32 bits each, not thresholds.

The arrays are those of `depnet.model.stages.Stages`, and `weights` tilts theta by those of its states.)")
        .def(
            "run", &Nodes::run<std::uint8_t>, arg("task"), arg("words"), arg("state").noconvert(),
            arg("out").noconvert(),
            R"(Run the chains of `task`, whose codes are in `state` (tiles of 64 chains, the last one padded).

A tile is [variable][64] under the sequential scan and [64][variable] under the random scan; `out` is [variables, rows].
Returns -1, or the place in the scan of a node that reached a row in which the evidence leaves nothing possible.)")
        .def("run", &Nodes::run<std::uint16_t>, arg("task"), arg("words"), arg("state").noconvert(),
             arg("out").noconvert())
        .def("trace", &Nodes::trace<std::uint8_t>, arg("words"), arg("first_step"),
             arg("state").noconvert(), arg("out").noconvert(),
             "Run one chain step by step: `out[t]` ([steps, variables]) is the state before "
             "update t.")
        .def("trace", &Nodes::trace<std::uint16_t>, arg("words"), arg("first_step"),
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
             arg("out").noconvert(), "As `Nodes.run`, for chains whose `state` is [chain][word].");
    nb::class_<SlicedNodes>(m, "SlicedNodes",
                            R"(Binary nodes for the bit-sliced kernel, sequential scan only.

`heads` holds six numbers a node: variable, first vertex, vertices, first leaf, leaves, 0. `vertices` holds (variable, slot
if 0, slot if 1), a parent before its children; the slots of a node are its vertices and then its leaves. `thresholds` are
those of the leaves.)")
        .def(nb::init<Long, In1<Long>, In1<std::int32_t>, In1<std::uint32_t>>(), nb::kw_only(),
             arg("variables"), arg("heads"), arg("vertices"), arg("thresholds"))
        .def("run", &SlicedNodes::run, arg("task"), arg("words"), arg("state").noconvert(),
             arg("out").noconvert(),
             R"(As `Nodes.run`; `state` is [variable][512 chains][8 words], bit c being chain c.

`first_chain` is a multiple of 512. Bits of a chain's word come from 32 planes, highest first: plane b of 32 neighbouring
chains is word b % 4 of the counter (step, chain // 32, stream + b // 4).)");
    m.def("scalar_words", &scalar_words, arg("seed"), arg("blocks"),
          "Make four words a block one after the other and forget them: the floor for benchmarks.");
    m.def("words", &make_words, arg("seed"), arg("stream"), arg("first"), arg("first_chain"),
          arg("out").noconvert(),
          "Write words first, first + 1, ... of neighbouring chains into `out` [words, chains].");
}
