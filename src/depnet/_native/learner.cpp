// Algorithm 3 with the candidates of Sec. 4.5, greedy split and merge for one node after another,
// and its door to Python. Slow twin: tests/reference/learning.py.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "decision_graph_compile.hpp"
#include "learner_merges.hpp"
#include "learner_splits.hpp"
#include "stop.hpp"

namespace depnet {
namespace {

struct Grown {
    std::vector<std::uint8_t> kinds;
    std::vector<std::int32_t> first, second;  // Split(leaf, variable) or Merge(first, second)
    std::vector<std::int64_t> counts;         // [leaf][state of the target]
};

constexpr std::int64_t kMostDenseStates = 256;
constexpr std::int64_t kCountsKept = 4 << 20;  // bytes

class Grower {
  public:
    Grower(const Data& data, const Bits& bits, const LearnerKernels& kernels,
           const Settings& settings, Watch& watch)
        : data_(data),
          settings_(settings),
          watch_(watch),
          xlogx_(shared_xlogx(data.total)),
          costs_(settings, data.total, data.cardinalities[settings.target]),
          // Where R is not linear, or where max_leaves bars splits by some variables at some steps,
          // the best split of a leaf changes with the number of leaves.
          keep_all_(!costs_.linear() ||
                    settings.max_leaves != std::numeric_limits<std::int64_t>::max()),
          splits_(data, bits, kernels, settings, xlogx_, costs_, keep_all_, watch),
          merges_(leaves_, xlogx_, kernels, splits_.states(),
                  splits_.states() <= kMostDenseStates && data.total < (std::int64_t{1} << 31),
                  watch) {}

    // Algorithm 3.
    Grown grow() {
        try {
            append(splits_.root());
            do evaluate_new();
            while (step());
        } catch (const DeadlineReached&) {  // what was grown so far is the node
        }
        grown_.counts.assign(leaves_.size() * splits_.states(), 0);
        for (std::size_t y = 0; y < leaves_.size(); ++y)
            for (const Cell& cell : leaves_[y]->cells)
                grown_.counts[y * splits_.states() + cell.state] = cell.count;
        return std::move(grown_);
    }

  private:
    std::int64_t size() const { return static_cast<std::int64_t>(leaves_.size()); }

    void append(std::unique_ptr<Leaf> leaf) { insert(std::move(leaf), size()); }

    void insert(std::unique_ptr<Leaf> leaf, std::int64_t position) {
        leaf->id = next_id_++;
        leaf->position = position;
        new_.push_back(leaf.get());
        if (position == size())
            leaves_.push_back(std::move(leaf));
        else
            leaves_[position] = std::move(leaf);
        merges_.put(position);
    }

    void erase(std::int64_t position) {
        leaves_.erase(leaves_.begin() + position);
        merges_.erase(position);
        for (auto y = position; y < size(); ++y) leaves_[y]->position = y;
    }

    // Finds the splits of the new leaves.
    void evaluate_new() {
        watch_.poll(size());
        // Counts are kept for subtracting and adding, as long as they are few beside the data.
        const bool drop =
            leaves_.size() * splits_.bytes_of_counts() >
            static_cast<std::size_t>(std::max(data_.rows * data_.variables() / 8, kCountsKept));
        for (Leaf* leaf : std::exchange(new_, {})) {
            splits_.evaluate(*leaf);
            if (drop) splits_.drop_counts(*leaf);
        }
    }

    // The best split: the least Delta, then the lowest (leaf, variable).
    void find_split(double& delta, std::int64_t& y, std::int32_t& j) {
        delta = kInfinity;
        for (const auto& leaf : leaves_) {
            if (keep_all_) {
                for (std::size_t at = 0; at < settings_.inputs.size(); ++at) {
                    const std::int32_t k = data_.cardinalities[settings_.inputs[at]];
                    const double change = leaf->split_changes[at];
                    if (size() + k - 1 > settings_.max_leaves || change == kInfinity) continue;
                    const double candidate = change / static_cast<double>(data_.total) +
                                             costs_.parameters(size(), size() + k - 1);
                    if (candidate < delta) {
                        delta = candidate;
                        y = leaf->position;
                        j = settings_.inputs[at];
                    }
                }
            } else if (leaf->split_delta < delta) {
                delta = leaf->split_delta;
                y = leaf->position;
                j = leaf->split_variable;
            }
        }
        if (delta < kInfinity) delta += costs_.split_name(size());
    }

    // One pass of Algorithm 3's loop; false if nothing lowers the cost any more.
    bool step() {
        double split_delta;
        std::int64_t y = -1;
        std::int32_t j = -1;
        find_split(split_delta, y, j);
        const double wanted = std::min(split_delta, -kStep);  // what a merge must be below

        std::int64_t first = -1;
        if (size() >= 2) {
            const auto total = static_cast<double>(data_.total);
            const double parameters = costs_.parameters(size(), size() - 1);
            const double name = costs_.merge_name(size());
            const double error =
                Costs::rounding(static_cast<double>(std::min(splits_.states(), data_.total)));
            const auto delta = [&](double change) { return change / total + parameters + name; };
            if (parameters + name - error < wanted) {
                merges_.admit();
                // Generous: merges whose exact Delta is not below `wanted` are turned away here.
                first = merges_.best((wanted - parameters - name + error) * total);
                if (first >= 0 && !(delta(merges_.change(first)) < wanted)) first = -1;
            }
        }
        if (first >= 0) {
            merge(first, merges_.partner(first));
            return true;
        }
        if (!(split_delta < -kStep)) return false;
        split(y, j);
        return true;
    }

    void record(std::uint8_t kind, std::int64_t first, std::int64_t second) {
        grown_.kinds.push_back(kind);
        grown_.first.push_back(static_cast<std::int32_t>(first));
        grown_.second.push_back(static_cast<std::int32_t>(second));
    }

    void split(std::int64_t y, std::int32_t j) {
        record(kSplit, y, j);
        const auto leaf = std::move(leaves_[y]);
        erase(y);
        for (auto& child : splits_.split(*leaf, j)) append(std::move(child));
    }

    void merge(std::int64_t y0, std::int64_t y1) {
        record(kMerge, y0, y1);
        insert(splits_.merge(*leaves_[y0], *leaves_[y1]), y0);
        erase(y1);
    }

    const Data& data_;
    const Settings& settings_;
    Watch& watch_;
    XLogX xlogx_;
    Costs costs_;
    bool keep_all_;
    Splits splits_;
    Leaves leaves_;
    Merges merges_;
    std::vector<Leaf*> new_;
    std::int64_t next_id_ = 0;
    Grown grown_;
};

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
    std::vector<std::int64_t> sizes;  // of each node: operations, cells, vertices, children

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
    }
};

Data data_of(const AnyCodes& codes, const std::vector<std::int32_t>& cardinalities,
             const std::optional<In1<std::int64_t>>& weights) {
    Data data;
    data.rows = data.total = static_cast<std::int64_t>(codes.shape(0));
    data.cardinalities = cardinalities;
    if (codes.dtype() == nb::dtype<std::uint8_t>())
        data.narrow = static_cast<const std::uint8_t*>(codes.data());
    else
        data.wide = static_cast<const std::uint16_t*>(codes.data());
    if (weights) {
        data.weights = weights->data();
        data.total = std::accumulate(data.weights, data.weights + data.rows, std::int64_t{0});
    }
    return data;
}

// The coded table and, as long as it lives, the arrays that it reads.
class Table {
  public:
    Table(AnyCodes codes, const std::vector<std::int32_t>& cardinalities,
          std::optional<In1<std::int64_t>> weights)
        : codes_(codes), weights_(weights), data_(data_of(codes, cardinalities, weights)) {
        kernels_ = &learner_kernels();
        if (!weights) {
            nb::gil_scoped_release release;
            bits_ = make_bits(data_, *kernels_, check_signals);
        }
    }

    // The nodes one after the other, until `slice_seconds` are over.
    GrownArrays grow(Settings settings, const std::vector<std::int32_t>& targets,
                     const std::vector<std::vector<std::int32_t>>& barred,
                     const std::vector<std::int32_t>& firsts, In1<std::int32_t> readable,
                     std::optional<double> seconds, double slice_seconds, const Stop& stop) const {
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
                    for (std::int32_t at = 0; at < firsts[k]; ++at)
                        if (readable(at) != targets[k] && !holds(barred[k], readable(at)))
                            settings.inputs.push_back(readable(at));
                    std::sort(settings.inputs.begin(), settings.inputs.end());
                    batch.add(Grower(data_, bits_, *kernels_, settings, watch).grow(),
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

  private:
    AnyCodes codes_;
    std::optional<In1<std::int64_t>> weights_;
    Data data_;
    const LearnerKernels* kernels_;
    Bits bits_;
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
        .def(nb::init<AnyCodes, const std::vector<std::int32_t>&,
                      std::optional<In1<std::int64_t>>>(),
             arg("codes").noconvert(), arg("cardinalities"), arg("weights").none(),
             nb::sig("def __init__(self, codes: numpy.typing.NDArray[numpy.uint8] | "
                     "numpy.typing.NDArray[numpy.uint16], cardinalities: "
                     "collections.abc.Sequence[int], weights: numpy.typing.NDArray[numpy.int64] | "
                     "None) -> None"))
        .def("grow", &Table::grow, arg("settings"), nb::kw_only(), arg("targets"), arg("barred"),
             arg("firsts"), arg("readable"), arg("seconds").none(), arg("slice_seconds"),
             arg("stop"),
             R"(Algorithm 3 for some nodes in turn, at least one and until `slice_seconds` are over.

Node k updates `targets[k]` and may be split by the first `firsts[k]` of what is `readable`, less its target and `barred[k]`. Returned are
(kinds, first, second, counts, variable, begin, children, sizes), the nodes' arrays one behind the other. `kinds[t]` is 0
for Split(first, second) and 1 for Merge(first, second); `counts` is [leaf, state]; (variable, begin, children) is the
compiled graph. `sizes` has four numbers a node: those of its operations, counts, vertices and children. Nodes stay as
they have grown when `seconds` are over.)");
    m.def(
        "pair_counts",
        [](AnyCodes codes, const std::vector<std::int32_t>& cardinalities,
           std::optional<In1<std::int64_t>> weights, std::size_t first, std::size_t last,
           Out1<std::int64_t> out) {
            nb::gil_scoped_release release;
            count_pairs(data_of(codes, cardinalities, weights), first, last, out.data());
        },
        arg("codes").noconvert(), arg("cardinalities"), arg("weights").none(), nb::kw_only(),
        arg("first"), arg("last"), arg("out").noconvert(),
        nb::sig("def pair_counts(codes: numpy.typing.NDArray[numpy.uint8] | "
                "numpy.typing.NDArray[numpy.uint16], cardinalities: "
                "collections.abc.Sequence[int], weights: numpy.typing.NDArray[numpy.int64] | None, "
                "*, first: int, last: int, out: numpy.typing.NDArray[numpy.int64]) -> None"),
        R"(Write the 2-way counts of the pairs (i, j), first <= i < last and i < j, one after another.

`codes` is [N, n], column-major. A table is [x_i, x_j], row-major; tables stand in the order of (i, j).)");
    m.def("xlogx", &xlogx, arg("x"),
          "T(x) = x log x, and 0 at 0: the one function behind every entropy.");
}
