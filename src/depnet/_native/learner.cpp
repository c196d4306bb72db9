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
#include "learner_grow.hpp"
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

// The coded table and, as long as it lives, the arrays that it reads.
class Table {
  public:
    Table(AnyCodes codes, const std::vector<std::int32_t>& cardinalities,
          std::optional<In1<std::int64_t>> weights)
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
    m.def("xlogx", &xlogx, arg("x"),
          "T(x) = x log x, and 0 at 0: the one function behind every entropy.");
}
