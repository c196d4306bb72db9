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

template <typename Leaf>
void add(Chain& chain, Index axis, In1<Leaf> leaves, In1<double> theta,
         In1<std::uint8_t> impossible) {
    chain.add(axis, copied(leaves), copied(theta), copied(impossible));
}

// (label of each state, update, state): the last two name a state of a recurrent class in which the
// update has no possible outcome; -1 if there is none.
using Classes = std::tuple<Array1<std::int32_t>, Index, Index>;

// The first update of `order` that is impossible in a recurrent state; labels are [place][state],
// or [state] for all places alike.
Classes classes_of(const Chain& chain, const std::vector<Index>& order, bool sequential) {
    std::vector<std::int32_t> label;
    Index update = -1, state = -1;
    {
        nb::gil_scoped_release release;
        label = sequential ? recurrent_labels(SequentialGraph{chain, order}, chain.size)
                           : recurrent_labels(RandomGraph{chain}, chain.size);
        for (std::size_t place = 0; place < order.size() && update < 0; ++place) {
            const Update& u = chain.updates[order[place]];
            const std::int32_t* here = label.data() + (sequential ? place * chain.size : 0);
            for (Index x = 0; x < chain.size && u.any_impossible && update < 0; ++x)
                if (here[x] != kTransient && u.impossible[u.leaf_of(u.context_of(x))])
                    update = order[place], state = x;
        }
        label.resize(chain.size);
    }
    return {to_numpy(std::move(label)), update, state};
}

Classes random_classes(const Chain& chain) {
    std::vector<Index> order(chain.updates.size());
    std::iota(order.begin(), order.end(), 0);
    return classes_of(chain, order, false);
}

Classes sequential_classes(const Chain& chain, const std::vector<Index>& order) {
    return classes_of(chain, order, true);
}

// A map with the memory of its Krylov basis.
template <typename Operator>
struct Map {
    Operator G;
    Basis basis{G.dimension()};
};

template <typename Operator>
nb::class_<Map<Operator>> bind_map(nb::module_& m, const char* name, const char* doc) {
    using nb::arg;
    using Self = Map<Operator>;
    using Released = nb::call_guard<nb::gil_scoped_release>;
    nb::class_<Self> bound(m, name, doc);
    bound
        .def_prop_ro(
            "dimension", [](const Self& self) { return self.G.dimension(); },
            "The length of x: x = G x is the fixed point, non-negative, unique up to a factor.")
        .def(
            "start",
            [](Self& self, In1<double> p, Out1<double> x) { self.G.start(p.data(), x.data()); },
            arg("p"), arg("x").noconvert(), Released(), "x <- what belongs to the law p.")
        .def(
            "law",
            [](Self& self, In1<double> x, Out1<double> p) { self.G.law(x.data(), p.data()); },
            arg("x"), arg("p").noconvert(), Released(),
            "p <- the law that belongs to x, after one more application of G, not normalised.")
        .def(
            "residual",
            [](Self& self, In1<double> x, Out1<double> r) { residual(self.G, x.data(), r.data()); },
            arg("x"), arg("r").noconvert(), Released(), "r <- G x - x.")
        .def(
            "cycle",
            [](Self& self, Out1<double> x, Out1<double> r, Index basis, double target) {
                return cycle(self.G, self.basis, x.data(), r.data(), basis, target);
            },
            arg("x").noconvert(), arg("r").noconvert(), arg("basis"), arg("target"), Released(),
            R"(One cycle of GMRES from x, whose residual is r, in place; how often G was applied.

It stops at `basis` vectors, or when the 2-norm of the residual is under `target`; negative numbers in x are then set to
zero.)");
    return bound;
}

template <typename Operator>
void bind_jumps(nb::module_& m, const char* name, const char* doc) {
    bind_map<Operator>(m, name, doc)
        .def(
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

    nb::class_<Chain>(m, "Chain",
                      "The updates of a chain on a domain of this shape; laws are flat, row-major.")
        .def(nb::init<std::vector<Index>>(), arg("shape"))
        .def(
            "add", &add<std::uint8_t>, arg("axis"), arg("leaves").noconvert(), arg("theta"),
            arg("impossible"),
            R"(Append the update of `axis` (-1: of a single state) by theta ([leaf, state], flat), where leaf is `leaves[context]`.

A context is a joint state of the other axes, row-major. `impossible[leaf]`: the update stays put.)")
        .def("add", &add<std::uint16_t>, arg("axis"), arg("leaves").noconvert(), arg("theta"),
             arg("impossible"))
        .def("add", &add<std::uint32_t>, arg("axis"), arg("leaves").noconvert(), arg("theta"),
             arg("impossible"))
        .def(
            "project",
            [](const Chain& chain, Index update, Out1<double> p) {
                project(chain.updates[update], p.data());
            },
            arg("update"), arg("p").noconvert(), Released(),
            "p <- p(X_-B) theta_B, in place (Theorem 2).")
        .def(
            "mix",
            [](const Chain& chain, In1<double> weights, In1<double> p, Out1<double> q) {
                mix(chain, weights.data(), p.data(), q.data());
            },
            arg("weights"), arg("p"), arg("q").noconvert(), Released(),
            "q <- sum of c_i p_i (Eq. p^(t+1)).")
        .def("random_classes", &random_classes,
             R"(Each state's recurrent class, -1 if transient, and where a class is impossible.

The two numbers are an update and a state of a class in which it has no possible outcome, or -1 twice.)")
        .def("sequential_classes", &sequential_classes, arg("order"),
             "The same for the states before place 0 of a sequential scan.");

    bind_jumps<Coloured>(m, "Coloured",
                         "Gauss-Seidel on the jumps of a random scan, colour by colour.");
    bind_jumps<Jumping>(m, "Jumping", "The jumps of a random scan.");
    bind_map<Sweep>(m, "Sweep",
                    "A sweep of a sequential scan; its law is the one just before the first "
                    "update of `order`.")
        .def(
            "__init__",
            [](Map<Sweep>* self, const Chain& chain, std::vector<Index> order) {
                new (self) Map<Sweep>{Sweep(chain, std::move(order))};
            },
            arg("chain"), arg("order"), nb::keep_alive<1, 2>());
}
