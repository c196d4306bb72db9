// The native learner's door: greedy split and merge for one node after another (Sec. 4.5).

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>

#include "arrays.hpp"
#include "learner_counted.hpp"
#include "learner_grow.hpp"
#include "learner_grower.hpp"
#include "stop.hpp"
#include "xlogx.hpp"

namespace depnet {
namespace {

struct Stop : StopFlag {};

Settings settings_of(double per_parameter, std::optional<nb::callable> penalty,
                     std::optional<std::tuple<double, double>> name_factors,
                     std::optional<std::int64_t> max_leaves, std::int64_t min_leaf_rows) {
    Settings settings;
    settings.per_parameter = per_parameter;
    if (penalty)
        settings.penalty = [penalty = *penalty](std::int64_t parameters) {
            nb::gil_scoped_acquire acquire;
            return nb::cast<double>(penalty(parameters));
        };
    if (name_factors) {
        settings.structural = true;
        std::tie(settings.split_factor, settings.merge_factor) = *name_factors;
    }
    if (max_leaves) settings.max_leaves = *max_leaves;
    settings.min_leaf_rows = min_leaf_rows;
    return settings;
}

Settings of_node(Settings settings, std::int32_t target, std::vector<std::int32_t> inputs) {
    settings.target = target;
    settings.inputs = std::move(inputs);
    return settings;
}

bool holds(const std::vector<std::int32_t>& few, std::int32_t variable) {
    return std::find(few.begin(), few.end(), variable) != few.end();
}

using Bytes = Array1<std::uint8_t>;
using Ints = Array1<std::int32_t>;
using Longs = Array1<std::int64_t>;
using GrownArrays = std::tuple<Bytes, Ints, Ints, Longs, Ints, Ints, Ints, Longs>;

// Grown nodes one behind the other: Python takes the arrays apart by their sizes.
struct Batch {
    std::vector<std::uint8_t> kinds;
    std::vector<std::int32_t> first, second;
    std::vector<std::int64_t> counts;
    CompiledGraph graph;
    std::vector<std::int64_t> sizes;  // of each node: operations, cells, vertices, children; whole?

    void add(const Grown& grown, const std::vector<std::int32_t>& cardinalities) {
        const CompiledGraph compiled = compile_operations(
            grown.kinds.data(), grown.first.data(), grown.second.data(), grown.kinds.size(),
            [&](std::size_t t) { return cardinalities[grown.second[t]]; });
        const auto append = [](auto& all, const auto& more) {
            all.insert(all.end(), more.begin(), more.end());
            return static_cast<std::int64_t>(more.size());
        };
        append(first, grown.first);
        append(second, grown.second);
        append(graph.begin, compiled.begin);
        sizes.push_back(append(kinds, grown.kinds));
        sizes.push_back(append(counts, grown.counts));
        sizes.push_back(append(graph.variable, compiled.variable));
        sizes.push_back(append(graph.children, compiled.children));
        sizes.push_back(grown.complete);
    }
};

// The coded table and, as long as it lives, the arrays that it reads.
class Table {
  public:
    Table(AnyCodes codes, const std::vector<std::int32_t>& cardinalities,
          std::optional<In1<std::int64_t>> weights, bool in_bits)
        : codes_(codes), weights_(weights) {
        data_.rows = static_cast<std::int64_t>(codes.shape(0));
        data_.cardinalities = cardinalities;
        if (codes.dtype() == nb::dtype<std::uint8_t>())
            data_.narrow = static_cast<const std::uint8_t*>(codes.data());
        else
            data_.wide = static_cast<const std::uint16_t*>(codes.data());
        data_.total = data_.rows;
        if (weights) {
            data_.weights = weights->data();
            data_.total = 0;
            for (std::int64_t r = 0; r < data_.rows; ++r) data_.total += data_.weights[r];
        }
        kernels_ = &learner_kernels(chosen_isa());
        if (!weights && in_bits) {
            nb::gil_scoped_release release;
            bits_ = make_bits(data_, *kernels_, check_signals);
        }
    }

    // The nodes one after the other, until `slice_seconds` are over.
    GrownArrays grow(Settings settings, const std::vector<std::int32_t>& targets,
                     const std::vector<std::vector<std::int32_t>>& barred,
                     In1<std::int32_t> readable, std::optional<double> seconds,
                     double slice_seconds, const Stop& stop) const {
        Batch batch;
        bool cancelled = false;
        {
            nb::gil_scoped_release release;
            Watch watch(seconds.value_or(-1.0), stop.set, check_signals);
            const auto began = Watch::Clock::now();
            const auto over = [&] {
                return std::chrono::duration<double>(Watch::Clock::now() - began).count() >=
                       slice_seconds;
            };
            try {
                for (std::size_t k = 0; k < targets.size(); ++k) {
                    settings.target = targets[k];
                    settings.inputs.clear();
                    for (std::size_t at = 0; at < readable.size(); ++at)
                        if (readable(at) != targets[k] && !holds(barred[k], readable(at)))
                            settings.inputs.push_back(readable(at));
                    batch.add(depnet::grow(data_, bits_, *kernels_, settings, watch),
                              data_.cardinalities);
                    if (over()) break;
                }
            } catch (const Cancelled&) {
                cancelled = true;
            }
        }
        if (cancelled) raise_interrupted("learning was stopped");
        return {to_numpy(std::move(batch.kinds)),          to_numpy(std::move(batch.first)),
                to_numpy(std::move(batch.second)),         to_numpy(std::move(batch.counts)),
                to_numpy(std::move(batch.graph.variable)), to_numpy(std::move(batch.graph.begin)),
                to_numpy(std::move(batch.graph.children)), to_numpy(std::move(batch.sizes))};
    }

    const Data& data() const { return data_; }
    const Bits& bits() const { return bits_; }
    const LearnerKernels& kernels() const { return *kernels_; }

  private:
    AnyCodes codes_;
    std::optional<In1<std::int64_t>> weights_;
    Data data_;
    const LearnerKernels* kernels_;
    Bits bits_;
};

// One node, grown from counts that come from elsewhere.
class CountedNode {
  public:
    CountedNode(const Settings& settings, const std::vector<std::int32_t>& cardinalities,
                In1<std::int64_t> root, std::int32_t target, std::vector<std::int32_t> inputs)
        : settings_(of_node(settings, target, std::move(inputs))),
          watch_(-1.0, never_, check_signals) {
        data_.cardinalities = cardinalities;
        std::vector<std::int64_t> counts(root.data(), root.data() + root.shape(0));
        for (const std::int64_t count : counts) data_.total += count;
        grower_ = std::make_unique<Grower<CountedSplits>>(
            data_, learner_kernels(chosen_isa()), settings_, watch_,
            [&](const XLogX& xlogx, const Costs& costs, bool keep_all) {
                return CountedSplits(data_, settings_, xlogx, costs, keep_all, std::move(counts));
            });
    }

    std::tuple<Bytes, Longs, Longs, Longs, bool> advance(std::optional<In1<std::int64_t>> counts) {
        bool done = false;
        {
            nb::gil_scoped_release release;
            if (counts) grower_->splits().tell(counts->data());
            done = grower_->advance();
            if (!done) grower_->foresee();
        }
        auto news = grower_->splits().news();
        return {to_numpy(std::move(news.kinds)), to_numpy(std::move(news.first)),
                to_numpy(std::move(news.second)), to_numpy(grower_->splits().wanted()), done};
    }

    std::tuple<Bytes, Ints, Ints, Longs> result() {
        Grown grown = grower_->result();
        return {to_numpy(std::move(grown.kinds)), to_numpy(std::move(grown.first)),
                to_numpy(std::move(grown.second)), to_numpy(std::move(grown.counts))};
    }

    std::size_t width() const { return width_of_counts(data_, settings_); }
    std::size_t leaves() const { return grower_->size(); }

  private:
    Settings settings_;
    Data data_;
    std::atomic<bool> never_{false};
    Watch watch_;
    std::unique_ptr<Grower<CountedSplits>> grower_;
};

// The rows of one node's leaves in one part of the table.
class NodeRows {
  public:
    NodeRows(const Table& table, std::int32_t target, std::vector<std::int32_t> inputs) {
        nb::gil_scoped_release release;
        rows_ = std::make_unique<LeafRows>(table.data(), table.bits(), table.kernels(),
                                           of_node({}, target, std::move(inputs)));
    }

    void apply(In1<std::uint8_t> kinds, In1<std::int64_t> first, In1<std::int64_t> second) {
        nb::gil_scoped_release release;
        for (std::size_t t = 0; t < kinds.shape(0); ++t)
            rows_->apply(kinds.data()[t], first.data()[t], second.data()[t]);
    }

    void add_counts(In1<std::int64_t> ids, Out1<std::int64_t> out) {
        nb::gil_scoped_release release;
        for (std::size_t at = 0; at < ids.shape(0); ++at)
            rows_->add_counts(ids.data()[at], out.data() + at * rows_->width());
    }

  private:
    std::unique_ptr<LeafRows> rows_;
};

double xlogx(std::int64_t x) { return shared_xlogx(x)(x); }

}  // namespace
}  // namespace depnet

NB_MODULE(learner, m) {
    using namespace depnet;
    using nb::arg;
    bind_stop<Stop>(
        m, "A word to the growers of other threads: once `set`, they raise InterruptedError.",
        "End every `grow` that was given this.");
    nb::class_<Settings>(m, "Settings", R"(The penalty and the limits of a node.

`penalty(k)` is R(k, N), called once for each k; without it R(k, N) = k * `per_parameter`. `name_factors` are those of
splits and of merges (StructuralMdl).)")
        .def(
            "__init__",
            [](Settings* self, double per_parameter, std::optional<nb::callable> penalty,
               std::optional<std::tuple<double, double>> name_factors,
               std::optional<std::int64_t> max_leaves, std::int64_t min_leaf_rows) {
                new (self) Settings(
                    settings_of(per_parameter, penalty, name_factors, max_leaves, min_leaf_rows));
            },
            nb::kw_only(), arg("per_parameter"), arg("penalty").none(), arg("name_factors").none(),
            arg("max_leaves").none(), arg("min_leaf_rows"),
            nb::sig("def __init__(self, *, per_parameter: float, penalty: "
                    "collections.abc.Callable[[int], float] | None, name_factors: tuple[float, "
                    "float] | None, max_leaves: int | None, min_leaf_rows: int) -> None"));
    nb::class_<Table>(m, "Table",
                      "A coded table ([N, n], column-major), made ready once and shared by all "
                      "nodes and threads.")
        .def(nb::init<AnyCodes, const std::vector<std::int32_t>&, std::optional<In1<std::int64_t>>,
                      bool>(),
             arg("codes").noconvert(), arg("cardinalities"), arg("weights").none(),
             arg("in_bits") = true,
             nb::sig("def __init__(self, codes: numpy.typing.NDArray[numpy.uint8] | "
                     "numpy.typing.NDArray[numpy.uint16], cardinalities: "
                     "collections.abc.Sequence[int], weights: numpy.typing.NDArray[numpy.int64] | "
                     "None, in_bits: bool = True) -> None"),
             "`in_bits` keeps the table in bits beside the codes, for speed; without, memory is "
             "the codes' alone.")
        .def("grow", &Table::grow, arg("settings"), nb::kw_only(), arg("targets"), arg("barred"),
             arg("readable"), arg("seconds").none(), arg("slice_seconds"), arg("stop"),
             R"(Algorithm 3 for some nodes in turn, at least one and until `slice_seconds` are over.

Node k updates `targets[k]` and may be split by what is `readable` less its target and `barred[k]`. Returned are
(kinds, first, second, counts, variable, begin, children, sizes), the nodes' arrays one behind the other. `kinds[t]` is 0
for Split(first, second) and 1 for Merge(first, second); `counts` is [leaf, state]; (variable, begin, children) is the
compiled graph. `sizes` has five numbers a node: those of its operations, counts, vertices and children, and 0 if
`seconds` passed before it was complete; what was grown until then is valid.)");
    nb::class_<CountedNode>(m, "CountedNode",
                            "One node grown from counts alone, wherever the rows are; the same "
                            "node as `Table.grow` gives.")
        .def(nb::init<const Settings&, const std::vector<std::int32_t>&, In1<std::int64_t>,
                      std::int32_t, std::vector<std::int32_t>>(),
             arg("settings"), arg("cardinalities"), arg("root"), nb::kw_only(), arg("target"),
             arg("inputs"), "`root` is how many rows have each state of the target.")
        .def("advance", &CountedNode::advance, arg("counts").none(),
             R"(Go on until counts are wanted: (kinds, first, second, wanted, done).

`counts` are those wanted last, `width` for each id. The operations since then are what the parts shall do to their rows,
by ids: those of the node, and splits that are foreseen, which a merge may take back. `wanted` are the ids to count next.)")
        .def("result", &CountedNode::result,
             "(kinds, first, second, counts) as of `Table.grow`; once, at the end.")
        .def_prop_ro("width", &CountedNode::width,
                     "How many counts a leaf has: [z][x] for each input, one after the other.")
        .def_prop_ro("leaves", &CountedNode::leaves, "How many leaves it has by now.");
    nb::class_<NodeRows>(m, "NodeRows",
                         "The rows of one node's leaves in one part of the table: what "
                         "`CountedNode` wants counted.")
        .def(nb::init<const Table&, std::int32_t, std::vector<std::int32_t>>(), arg("table"),
             nb::kw_only(), arg("target"), arg("inputs"), nb::keep_alive<1, 2>())
        .def("apply", &NodeRows::apply, arg("kinds"), arg("first"), arg("second"),
             "Split and merge as `CountedNode.advance` says; an unknown leaf is an IndexError.")
        .def("add_counts", &NodeRows::add_counts, arg("ids"), arg("out"),
             "Add the counts of these leaves to `out`, one after the other.");
    m.def("xlogx", &xlogx, arg("x"),
          "T(x) = x log x, and 0 at 0: the one function behind every entropy.");
}
