// Array types at the door of the kernels, and the one way to hand a vector to Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace depnet {

namespace nb = nanobind;

template <typename T>
using In1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Out1 = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// A table of codes [N, n], column-major: column j is contiguous.
template <typename T>
using Codes = nb::ndarray<const T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

// A one-dimensional numpy array that owns what was in `values`.
template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T> values) {
    auto* held = new std::vector<T>(std::move(values));
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(held->data(), {held->size()}, owner);
}

}  // namespace depnet
