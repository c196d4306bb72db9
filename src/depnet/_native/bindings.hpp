// What the module `network` is bound from: a file a family of functions of the compiled network.
#pragma once

#include "arrays.hpp"

namespace depnet {

void bind_graphs(nb::module_& m);  // decision_graph.cpp
void bind_stages(nb::module_& m);  // stages.cpp
void bind_law(nb::module_& m);     // law.cpp
void bind_chains(nb::module_& m);  // chains.cpp

}  // namespace depnet
