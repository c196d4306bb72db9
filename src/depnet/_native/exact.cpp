// Exact laws: m-projections, recurrent classes and GMRES cycles on the free domain of a network.
// Slow twin: tests/reference/stationary.py.

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "exact_classes.hpp"
#include "exact_operators.hpp"

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

// The methods that all maps share. They keep a reference to the chain (nb::keep_alive).
template <typename Operator>
void bind_map(nb::class_<Operator>& bound) {
    using nb::arg;
    bound.def_prop_ro("dimension", &Operator::dimension)
        .def(
            "start",
            [](Operator& G, In1<double> p, Out1<double> x) { G.start(p.data(), x.data()); },
            arg("p"), arg("x").noconvert(), nb::call_guard<nb::gil_scoped_release>())
        .def(
            "law", [](Operator& G, In1<double> x, Out1<double> p) { G.law(x.data(), p.data()); },
            arg("x"), arg("p").noconvert(), nb::call_guard<nb::gil_scoped_release>())
        .def(
            "residual",
            [](Operator& G, In1<double> x, Out1<double> r) { residual(G, x.data(), r.data()); },
            arg("x"), arg("r").noconvert(), nb::call_guard<nb::gil_scoped_release>())
        .def(
            "cycle",
            [](Operator& G, Out1<double> x, Out1<double> r, Index basis, double target) {
                return cycle(G, x.data(), r.data(), basis, target);
            },
            arg("x").noconvert(), arg("r").noconvert(), arg("basis"), arg("target"),
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

    auto coloured = nb::class_<Coloured>(m, "Coloured");
    coloured.def(
        "__init__",
        [](Coloured* self, const Chain& chain, In1<double> weights) {
            new (self) Coloured(chain, weights.data());
        },
        arg("chain"), arg("weights"), Released());
    bind_map(coloured);

    auto jumping = nb::class_<Jumping>(m, "Jumping");
    jumping.def(
        "__init__",
        [](Jumping* self, const Chain& chain, In1<double> weights) {
            new (self) Jumping(chain, weights.data());
        },
        arg("chain"), arg("weights"), nb::keep_alive<1, 2>(), Released());
    bind_map(jumping);

    auto sweep = nb::class_<Sweep>(m, "Sweep");
    sweep.def(nb::init<const Chain&, std::vector<Index>>(), arg("chain"), arg("order"),
              nb::keep_alive<1, 2>());
    bind_map(sweep);
}
