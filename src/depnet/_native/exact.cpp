// Exact laws: m-projections, recurrent classes and GMRES cycles on the free domain of a network.
// Slow twin: tests/reference/stationary.py.

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "exact_classes.hpp"
#include "exact_coloured.hpp"
#include "exact_jumps.hpp"
#include "exact_krylov.hpp"
#include "exact_sweep.hpp"

namespace depnet::exact {
namespace {

template <typename T>
std::vector<T> copied(const In1<T>& array) {
    return {array.data(), array.data() + array.size()};
}

template <typename Leaf>
void add(Chain& chain, std::vector<Index> axes, In1<Leaf> leaves, In1<double> theta,
         In1<std::uint8_t> impossible) {
    chain.add(std::move(axes), copied(leaves), copied(theta), copied(impossible));
}

// (label of each state, update, state): the last two name a state of a recurrent class in which the
// update has no possible outcome; -1 if there is none.
using Classes = std::tuple<nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>, Index, Index>;

Classes random_classes(const Chain& chain) {
    std::vector<std::int32_t> label;
    Index update = -1, state = -1;
    {
        nb::gil_scoped_release release;
        label = recurrent_labels(RandomGraph{chain}, chain.size);
        for (std::size_t i = 0; i < chain.updates.size() && update < 0; ++i) {
            const Update& u = chain.updates[i];
            for (Index x = 0; x < chain.size && u.any_impossible && update < 0; ++x)
                if (label[x] != kTransient && u.impossible[u.leaf_of(u.context_of(x))])
                    update = static_cast<Index>(i), state = x;
        }
    }
    return {to_numpy(std::move(label)), update, state};
}

Classes sequential_classes(const Chain& chain, const std::vector<Index>& order) {
    std::vector<std::int32_t> label;
    Index update = -1, state = -1;
    {
        nb::gil_scoped_release release;
        label = recurrent_labels(SequentialGraph{chain, order}, chain.size);
        for (std::size_t place = 0; place < order.size() && update < 0; ++place) {
            const Update& u = chain.updates[order[place]];
            for (Index x = 0; x < chain.size && u.any_impossible && update < 0; ++x)
                if (label[place * chain.size + x] != kTransient &&
                    u.impossible[u.leaf_of(u.context_of(x))])
                    update = order[place], state = x;
        }
        label.resize(chain.size);
    }
    return {to_numpy(std::move(label)), update, state};
}

// A map with the memory of its Krylov basis.
template <typename Operator>
struct Map {
    Operator G;
    Basis basis{G.dimension()};
};

template <typename Operator>
nb::class_<Map<Operator>> bind_map(nb::module_& m, const char* name) {
    using nb::arg;
    using Self = Map<Operator>;
    using Released = nb::call_guard<nb::gil_scoped_release>;
    nb::class_<Self> bound(m, name);
    bound.def_prop_ro("dimension", [](const Self& self) { return self.G.dimension(); })
        .def(
            "start",
            [](Self& self, In1<double> p, Out1<double> x) { self.G.start(p.data(), x.data()); },
            arg("p"), arg("x").noconvert(), Released())
        .def(
            "law",
            [](Self& self, In1<double> x, Out1<double> p) { self.G.law(x.data(), p.data()); },
            arg("x"), arg("p").noconvert(), Released())
        .def(
            "residual",
            [](Self& self, In1<double> x, Out1<double> r) { residual(self.G, x.data(), r.data()); },
            arg("x"), arg("r").noconvert(), Released())
        .def(
            "cycle",
            [](Self& self, Out1<double> x, Out1<double> r, Index basis, double target) {
                return cycle(self.G, self.basis, x.data(), r.data(), basis, target);
            },
            arg("x").noconvert(), arg("r").noconvert(), arg("basis"), arg("target"), Released());
    return bound;
}

template <typename Operator>
void bind_jumps(nb::module_& m, const char* name) {
    bind_map<Operator>(m, name).def(
        "__init__",
        [](Map<Operator>* self, const Chain& chain, In1<double> weights) {
            new (self) Map<Operator>{Operator(chain, weights.data())};
        },
        nb::arg("chain"), nb::arg("weights"), nb::keep_alive<1, 2>(),
        nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace
}  // namespace depnet::exact

NB_MODULE(exact, m) {
    using namespace depnet;
    using namespace depnet::exact;
    using nb::arg;
    using Released = nb::call_guard<nb::gil_scoped_release>;

    nb::class_<Chain>(m, "Chain")
        .def(nb::init<std::vector<Index>>(), arg("shape"))
        .def("add", &add<std::uint8_t>, arg("axes"), arg("leaves").noconvert(), arg("theta"),
             arg("impossible"))
        .def("add", &add<std::uint16_t>, arg("axes"), arg("leaves").noconvert(), arg("theta"),
             arg("impossible"))
        .def("add", &add<std::uint32_t>, arg("axes"), arg("leaves").noconvert(), arg("theta"),
             arg("impossible"))
        .def(
            "project",
            [](const Chain& chain, Index update, Out1<double> p) {
                project(chain.updates[update], p.data());
            },
            arg("update"), arg("p").noconvert(), Released())
        .def(
            "mix",
            [](const Chain& chain, In1<double> weights, In1<double> p, Out1<double> q) {
                mix(chain, weights.data(), p.data(), q.data());
            },
            arg("weights"), arg("p"), arg("q").noconvert(), Released())
        .def("random_classes", &random_classes)
        .def("sequential_classes", &sequential_classes, arg("order"));

    bind_jumps<Coloured>(m, "Coloured");
    bind_jumps<Jumping>(m, "Jumping");
    bind_map<Sweep>(m, "Sweep")
        .def(
            "__init__",
            [](Map<Sweep>* self, const Chain& chain, std::vector<Index> order) {
                new (self) Map<Sweep>{Sweep(chain, std::move(order))};
            },
            arg("chain"), arg("order"), nb::keep_alive<1, 2>());
}
