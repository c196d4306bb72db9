// The module `network`: a network compiled once, and passes, moves, chains and rows as functions of
// it.

#include "network.hpp"

#include "bindings.hpp"

NB_MODULE(network, m) {
    using namespace depnet;
    using namespace depnet::network;
    using nb::arg;
    bind_graphs(m);
    bind_stages(m);
    nb::class_<Network>(
        m, "Network",
        R"(A network compiled. Add its nodes in its order, each by its source and then by what its leaves mean.)")
        .def(nb::init<In1<std::int32_t>>(), arg("cardinalities"))
        .def("add_table", &Network::add_table, arg("variable"), arg("inputs"), arg("leaves"),
             "The next node's leaf is `leaves[x]` of the joint state x of its inputs, row-major.")
        .def("add_graph", &Network::add_graph, arg("variable"), arg("tested"), arg("begin"),
             arg("children"), "The next node's leaf is where the compiled decision graph leads.")
        .def("set_theta", &Network::set_theta, arg("theta"),
             "theta [leaf, state] of the node that was added last.")
        .def("set_stages", &Network::set_stages, arg("stages"), arg("start"), arg("digits"),
             "The node that was added last is boosted: `start` are the scores [leaf, state] of its "
             "source, to which the stages add theirs.\n\n`digits` are the low, middle and high of "
             "each vertex of the tree whose digits the scores are of; empty: they are of states.");
    nb::class_<Known>(m, "Known",
                      "What is known of variable i are the weights `weights[begin[i] :]` of its "
                      "states (begin -1: nothing).")
        .def(nb::init<In1<std::int32_t>, In1<double>>(), arg("begin"), arg("weights"));
    bind_law(m);
    bind_chains(m);
}
