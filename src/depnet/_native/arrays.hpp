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
using In1 = nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Out1 = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using In2 = nb::ndarray<nb::numpy, const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Out2 = nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
// A table of codes [N, n], column-major: column j is contiguous.
template <typename T>
using Codes = nb::ndarray<nb::numpy, const T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
// The same of either width.
using AnyCodes = nb::ndarray<nb::ndim<2>, nb::f_contig, nb::device::cpu, nb::ro>;
// What is handed to Python.
template <typename T>
using Array1 = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <typename T>
std::vector<T> copied(const In1<T>& values) {
    return {values.data(), values.data() + values.size()};
}

// A one-dimensional numpy array that owns what was in `values`.
template <typename T>
Array1<T> to_numpy(std::vector<T> values) {
    auto* held = new std::vector<T>(std::move(values));
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array1<T>(held->data(), {held->size()}, owner);
}

}  // namespace depnet
