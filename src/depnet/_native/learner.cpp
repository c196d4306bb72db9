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
#include "xlogx.hpp"

namespace depnet {
namespace {

struct Stop {
    std::atomic<bool> set{false};
};

// Raises the KeyboardInterrupt that waits, if this is the main thread.
void check_signals() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

Settings settings_of(const std::vector<std::int32_t>& targets,
                     const std::vector<std::int32_t>& inputs, double per_parameter,
                     std::optional<nb::callable> penalty,
                     std::optional<std::tuple<double, double>> name_factors,
                     std::optional<std::int64_t> max_leaves, std::int64_t min_leaf_rows) {
    Settings settings;
    settings.targets = targets;
    settings.inputs = inputs;
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
    Table(nb::ndarray<nb::ndim<2>, nb::f_contig, nb::device::cpu, nb::ro> codes,
          const std::vector<std::int32_t>& cardinalities, std::optional<In1<std::int64_t>> weights,
          bool in_bits)
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
    nb::tuple grow(const std::vector<std::vector<std::int32_t>>& targets,
                   const std::vector<std::vector<std::int32_t>>& barred, In1<std::int32_t> readable,
                   double per_parameter, std::optional<nb::callable> penalty,
                   std::optional<std::tuple<double, double>> name_factors,
                   std::optional<std::int64_t> max_leaves, std::int64_t min_leaf_rows,
                   std::optional<double> seconds, double slice_seconds, const Stop& stop) const {
        Settings settings =
            settings_of({}, {}, per_parameter, penalty, name_factors, max_leaves, min_leaf_rows);
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
                    settings.targets = targets[k];
                    settings.inputs.clear();
                    for (std::size_t at = 0; at < readable.size(); ++at)
                        if (!holds(targets[k], readable(at)) && !holds(barred[k], readable(at)))
                            settings.inputs.push_back(readable(at));
                    batch.add(depnet::grow(data_, bits_, *kernels_, settings, watch),
                              data_.cardinalities);
                    if (over()) break;
                }
            } catch (const Cancelled&) {
                cancelled = true;
            }
        }
        if (cancelled) {
            PyErr_SetString(PyExc_InterruptedError, "learning was stopped");
            throw nb::python_error();
        }
        return nb::make_tuple(
            to_numpy(std::move(batch.kinds)), to_numpy(std::move(batch.first)),
            to_numpy(std::move(batch.second)), to_numpy(std::move(batch.counts)),
            to_numpy(std::move(batch.graph.variable)), to_numpy(std::move(batch.graph.begin)),
            to_numpy(std::move(batch.graph.children)), to_numpy(std::move(batch.sizes)));
    }

    const Data& data() const { return data_; }
    const Bits& bits() const { return bits_; }
    const LearnerKernels& kernels() const { return *kernels_; }

  private:
    nb::ndarray<nb::ndim<2>, nb::f_contig, nb::device::cpu, nb::ro> codes_;
    std::optional<In1<std::int64_t>> weights_;
    Data data_;
    const LearnerKernels* kernels_;
    Bits bits_;
};

// One node, grown from counts that come from elsewhere.
class CountedNode {
  public:
    CountedNode(const std::vector<std::int32_t>& cardinalities, In1<std::int64_t> root,
                const std::vector<std::int32_t>& targets, const std::vector<std::int32_t>& inputs,
                double per_parameter, std::optional<nb::callable> penalty,
                std::optional<std::tuple<double, double>> name_factors,
                std::optional<std::int64_t> max_leaves, std::int64_t min_leaf_rows)
        : settings_(settings_of(targets, inputs, per_parameter, penalty, name_factors, max_leaves,
                                min_leaf_rows)),
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

    nb::tuple advance(std::optional<In1<std::int64_t>> counts) {
        bool done = false;
        {
            nb::gil_scoped_release release;
            if (counts) grower_->splits().tell(counts->data());
            done = grower_->advance();
            if (!done) grower_->foresee();
        }
        auto news = grower_->splits().news();
        return nb::make_tuple(to_numpy(std::move(news.kinds)), to_numpy(std::move(news.first)),
                              to_numpy(std::move(news.second)),
                              to_numpy(grower_->splits().wanted()), done);
    }

    nb::tuple result() {
        Grown grown = grower_->result();
        return nb::make_tuple(to_numpy(std::move(grown.kinds)), to_numpy(std::move(grown.first)),
                              to_numpy(std::move(grown.second)), to_numpy(std::move(grown.counts)));
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
    NodeRows(const Table& table, const std::vector<std::int32_t>& targets,
             const std::vector<std::int32_t>& inputs) {
        Settings settings;
        settings.targets = targets;
        settings.inputs = inputs;
        nb::gil_scoped_release release;
        rows_ = std::make_unique<LeafRows>(table.data(), table.bits(), table.kernels(), settings);
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
    nb::class_<Stop>(m, "Stop").def(nb::init<>()).def("set", [](Stop& stop) {
        stop.set.store(true);
    });
    nb::class_<Table>(m, "Table")
        .def(nb::init<nb::ndarray<nb::ndim<2>, nb::f_contig, nb::device::cpu, nb::ro>,
                      const std::vector<std::int32_t>&, std::optional<In1<std::int64_t>>, bool>(),
             nb::arg("codes").noconvert(), nb::arg("cardinalities"), nb::arg("weights").none(),
             nb::arg("in_bits") = true)
        .def("grow", &Table::grow, nb::kw_only(), nb::arg("targets"), nb::arg("barred"),
             nb::arg("readable"), nb::arg("per_parameter"), nb::arg("penalty").none(),
             nb::arg("name_factors").none(), nb::arg("max_leaves").none(), nb::arg("min_leaf_rows"),
             nb::arg("seconds").none(), nb::arg("slice_seconds"), nb::arg("stop"));
    nb::class_<CountedNode>(m, "CountedNode")
        .def(nb::init<const std::vector<std::int32_t>&, In1<std::int64_t>,
                      const std::vector<std::int32_t>&, const std::vector<std::int32_t>&, double,
                      std::optional<nb::callable>, std::optional<std::tuple<double, double>>,
                      std::optional<std::int64_t>, std::int64_t>(),
             nb::arg("cardinalities"), nb::arg("root"), nb::kw_only(), nb::arg("targets"),
             nb::arg("inputs"), nb::arg("per_parameter"), nb::arg("penalty").none(),
             nb::arg("name_factors").none(), nb::arg("max_leaves").none(), nb::arg("min_leaf_rows"))
        .def("advance", &CountedNode::advance, nb::arg("counts").none())
        .def("result", &CountedNode::result)
        .def_prop_ro("width", &CountedNode::width)
        .def_prop_ro("leaves", &CountedNode::leaves);
    nb::class_<NodeRows>(m, "NodeRows")
        .def(nb::init<const Table&, const std::vector<std::int32_t>&,
                      const std::vector<std::int32_t>&>(),
             nb::arg("table"), nb::kw_only(), nb::arg("targets"), nb::arg("inputs"),
             nb::keep_alive<1, 2>())
        .def("apply", &NodeRows::apply, nb::arg("kinds"), nb::arg("first"), nb::arg("second"))
        .def("add_counts", &NodeRows::add_counts, nb::arg("ids"), nb::arg("out"));
    m.def("xlogx", &xlogx, nb::arg("x"));
}
