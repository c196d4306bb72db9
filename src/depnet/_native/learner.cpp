// The native learner's door: greedy split and merge for one node at a time (Sec. 4.5).

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <optional>
#include <string>

#include "arrays.hpp"
#include "learner_grow.hpp"
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

// The coded table and, as long as it lives, the arrays that it reads.
class Table {
  public:
    Table(nb::ndarray<nb::ndim<2>, nb::f_contig, nb::device::cpu, nb::ro> codes,
          const std::vector<std::int32_t>& cardinalities, std::optional<In1<std::int64_t>> weights)
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
        if (!weights) {
            nb::gil_scoped_release release;
            bits_ = make_bits(data_, *kernels_, check_signals);
        }
    }

    nb::tuple grow(const std::vector<std::int32_t>& targets,
                   const std::vector<std::int32_t>& inputs, double per_parameter,
                   std::optional<nb::callable> penalty,
                   std::optional<std::tuple<double, double>> name_factors,
                   std::optional<std::int64_t> max_leaves, std::int64_t min_leaf_rows,
                   std::optional<double> seconds, const Stop& stop) const {
        Settings settings;
        settings.targets = targets;
        settings.inputs = inputs;
        settings.per_parameter = per_parameter;
        if (penalty)
            settings.penalty = [&](std::int64_t parameters) {
                nb::gil_scoped_acquire acquire;
                return nb::cast<double>((*penalty)(parameters));
            };
        if (name_factors) {
            settings.structural = true;
            std::tie(settings.split_factor, settings.merge_factor) = *name_factors;
        }
        if (max_leaves) settings.max_leaves = *max_leaves;
        settings.min_leaf_rows = min_leaf_rows;
        Grown grown;
        bool cancelled = false;
        {
            nb::gil_scoped_release release;
            Watch watch(seconds.value_or(-1.0), stop.set, check_signals);
            try {
                grown = depnet::grow(data_, bits_, *kernels_, settings, watch);
            } catch (const Cancelled&) {
                cancelled = true;
            }
        }
        if (cancelled) {
            PyErr_SetString(PyExc_InterruptedError, "learning was stopped");
            throw nb::python_error();
        }
        return nb::make_tuple(to_numpy(std::move(grown.kinds)), to_numpy(std::move(grown.first)),
                              to_numpy(std::move(grown.second)), to_numpy(std::move(grown.counts)),
                              grown.complete);
    }

  private:
    nb::ndarray<nb::ndim<2>, nb::f_contig, nb::device::cpu, nb::ro> codes_;
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
    nb::class_<Stop>(m, "Stop").def(nb::init<>()).def("set", [](Stop& stop) {
        stop.set.store(true);
    });
    nb::class_<Table>(m, "Table")
        .def(nb::init<nb::ndarray<nb::ndim<2>, nb::f_contig, nb::device::cpu, nb::ro>,
                      const std::vector<std::int32_t>&, std::optional<In1<std::int64_t>>>(),
             nb::arg("codes").noconvert(), nb::arg("cardinalities"), nb::arg("weights").none())
        .def("grow", &Table::grow, nb::kw_only(), nb::arg("targets"), nb::arg("inputs"),
             nb::arg("per_parameter"), nb::arg("penalty").none(), nb::arg("name_factors").none(),
             nb::arg("max_leaves").none(), nb::arg("min_leaf_rows"), nb::arg("seconds").none(),
             nb::arg("stop"));
    m.def("xlogx", &xlogx, nb::arg("x"));
}
