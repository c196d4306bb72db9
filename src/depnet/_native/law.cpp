// The law Q(x) = product over i of theta_i(x_i | y_i) of an ordered network: weighted passes and
// moves. Slow twins: tests/reference/ordered.py.

#include <nanobind/stl/optional.h>

#include <limits>
#include <optional>

#include "isa.hpp"
#include "law_program.hpp"

namespace depnet::law {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

// What is known of each variable: where its weights begin, or -1, and all weights.
struct Known {
    std::vector<std::int32_t> begin;
    std::vector<double> weights, log_weights;

    Known(In1<std::int32_t> begin, In1<double> weights)
        : begin(copied(begin)), weights(copied(weights)) {
        for (const double weight : this->weights) log_weights.push_back(std::log(weight));
    }
};

void check_known(const Program& program, const Known& known) {
    if (known.begin.size() != program.variables())
        throw std::invalid_argument("one begin a variable");
}

// Of a variable with weights: thresholds in proportion to theta_i(. | y_i) w_i of every leaf, and
// the log of what these are divided by. Where nothing is possible: the first state that w allows.
struct Weighted {
    std::vector<std::uint32_t> marks;
    std::vector<double> logs;

    Weighted(const double* theta, std::size_t leaves, std::size_t states, const double* weights)
        : marks(leaves * (states - 1)), logs(leaves) {
        const auto allowed = static_cast<std::size_t>(
            std::find_if(weights, weights + states, [](double w) { return w > 0.0; }) - weights);
        std::vector<double> row(states);
        for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
            double total = 0.0;
            for (std::size_t s = 0; s < states; ++s)
                total += row[s] = theta[leaf * states + s] * weights[s];
            std::uint32_t* own = marks.data() + leaf * (states - 1);
            logs[leaf] = total > 0.0 ? std::log(total) : kImpossible;
            if (total > 0.0)
                thresholds_of(row.data(), states, own);
            else
                for (std::size_t s = 0; s + 1 < states; ++s) own[s] = s < allowed ? 0 : kAlways;
        }
    }
};

// The scratch of boosted nodes; nothing where there are none.
struct Buffers {
    std::vector<std::uint64_t> masks;
    std::vector<std::int32_t> scores, read, kept;
    std::vector<double> theta;

    explicit Buffers(const Program& program) : masks(program.masks() + 1) {
        if (program.sums() == 0) return;
        const std::size_t cells = program.most_states() * kRows;
        scores.resize(cells);
        read.resize(cells);
        kept.resize(program.most_kept());
        theta.resize(cells);
    }
    Scratch scratch() {
        return {masks.data(), scores.data(), read.data(), kept.data(), theta.data()};
    }
};

// The state that alone has weight, and weight 1; -1 where there is none.
std::int32_t clamped_to(const double* weights, std::size_t states) {
    std::int32_t code = -1;
    for (std::size_t s = 0; s < states; ++s) {
        if (weights[s] == 0.0) continue;
        if (code >= 0 || weights[s] != 1.0) return -1;
        code = static_cast<std::int32_t>(s);
    }
    return code;
}

template <typename Code>
void passes(Program& program, const Known& known, In1<std::int32_t> places, std::uint64_t seed,
            std::int64_t first, std::optional<In2<std::uint32_t>> words,
            nb::ndarray<nb::numpy, Code, nb::ndim<2>, nb::f_contig, nb::device::cpu> codes,
            Out1<double> log_weights) {
    check_known(program, known);
    const View view = program.view();
    nb::gil_scoped_release release;
    std::vector<Weighted> weighted;
    weighted.reserve(places.size());
    std::vector<Step> steps;
    std::vector<std::int32_t> others;
    std::vector<bool> taking(program.variables());
    for (std::size_t k = 0; k < places.size(); ++k) {
        const Node& node = program.node(static_cast<std::size_t>(places(k)));
        taking[static_cast<std::size_t>(node.variable)] = true;
        const auto states = static_cast<std::size_t>(node.states);
        const std::int32_t begin = known.begin[static_cast<std::size_t>(node.variable)];
        Step step{places(k), -1, program.thresholds(node), nullptr, 0, nullptr};
        if (begin >= 0 && node.boosted >= 0) {
            step.weights = known.weights.data() + begin;
            step.code = clamped_to(step.weights, states);
        } else if (begin >= 0) {
            const double* weights = known.weights.data() + begin;
            step.code = clamped_to(weights, states);
            if (step.code >= 0) {
                step.logs = program.log_theta(node) + step.code;
                step.stride = node.states;
            } else {
                weighted.emplace_back(program.theta(node), program.leaves(node), states, weights);
                step.marks = weighted.back().marks.data();
                step.logs = weighted.back().logs.data();
                step.stride = 1;
            }
        }
        steps.push_back(step);
    }
    for (std::size_t i = 0; i < taking.size(); ++i)
        if (!taking[i]) others.push_back(static_cast<std::int32_t>(i));
    std::vector<std::uint16_t> tile(program.variables() * kRows);
    Buffers buffers(program);
    const PassTask task{steps.data(),
                        steps.size(),
                        others.data(),
                        others.size(),
                        seed,
                        first,
                        words ? words->data() : nullptr,
                        static_cast<std::int64_t>(words ? words->shape(1) : 0),
                        codes.shape(0),
                        log_weights.data(),
                        tile.data(),
                        buffers.scratch()};
    DEPNET_DISPATCH(pass(view, task, codes.data()))
}

// Sweeps over the hidden variables of each row, in the order. Word t of a row's stream is that of
// its t-th update of all sweeps, `first_sweep` having been made before.
void moves(Program& program, const Known& known, In1<std::uint8_t> active, std::uint64_t seed,
           std::int64_t first_row, std::int64_t first_sweep, std::int64_t sweeps,
           In2<std::uint8_t> hidden, Out2<std::uint16_t> codes, In1<std::int32_t> cells,
           Out2<double> sums, Out1<std::int64_t> impossible) {
    check_known(program, known);
    const View view = program.view();
    nb::gil_scoped_release release;
    std::vector<std::uint16_t> tile(program.variables() * kRows);
    std::vector<double> logs(program.most_states() * kRows);
    std::vector<std::int32_t> totals(program.sums());
    Buffers buffers(program);
    const MoveTask task{active.data(),
                        known.begin.data(),
                        known.log_weights.data(),
                        seed,
                        first_row,
                        first_sweep,
                        sweeps,
                        hidden.data(),
                        hidden.shape(0) == 1,
                        codes.data(),
                        codes.shape(0),
                        cells.data(),
                        sums.data(),
                        sums.shape(1),
                        impossible.data(),
                        tile.data(),
                        logs.data(),
                        totals.data(),
                        buffers.scratch()};
    DEPNET_DISPATCH(move(view, task))
}

template <typename Code>
void bind_passes(nb::module_& m, const char* doc) {
    using nb::arg;
    m.def("passes", &passes<Code>, arg("program"), arg("known"), nb::kw_only(), arg("places"),
          arg("seed"), arg("first"), arg("words").none(), arg("codes").noconvert(),
          arg("log_weights").noconvert(), doc);
}

}  // namespace
}  // namespace depnet::law

NB_MODULE(law, m) {
    using namespace depnet;
    using namespace depnet::law;
    using nb::arg;
    nb::class_<Stages>(m, "Stages",
                       "The stages of a boosted node, and `start`, the scores [leaf, state] of its "
                       "first source.")
        .def(
            nb::init<In1<std::int32_t>, In1<std::uint16_t>, In1<std::uint16_t>, In1<std::int32_t>,
                     In1<std::uint16_t>, In1<std::int32_t>, In2<std::int32_t>, In2<std::int32_t>>(),
            arg("variable"), arg("low"), arg("high"), arg("begin"), arg("leaf"), arg("test"),
            arg("scores"), arg("start"));
    nb::class_<Program>(
        m, "Program",
        R"(An ordered network laid out for passes and moves. Add the nodes in the order.

A table node's leaf is `leaves[x]` of the joint state x of its inputs, row-major; a graph node's is where the compiled
decision graph (tested, begin, children) leads. `theta` is [leaf, state], flat. Of a boosted node that is its first
source, to whose scores those of its stages are added.)")
        .def(nb::init<In1<std::int32_t>>(), arg("cardinalities"))
        .def("add_graph_node", &Program::add_graph_node, arg("variable"), arg("tested"),
             arg("begin"), arg("children"), arg("theta"))
        .def("add_table_node", &Program::add_table_node, arg("variable"), arg("inputs"),
             arg("leaves"), arg("theta"))
        .def("add_boosted_graph_node", &Program::add_boosted_graph_node, arg("variable"),
             arg("tested"), arg("begin"), arg("children"), arg("stages"))
        .def("add_boosted_table_node", &Program::add_boosted_table_node, arg("variable"),
             arg("inputs"), arg("leaves"), arg("stages"));
    nb::class_<Known>(m, "Known",
                      "What is known of variable i are the weights `weights[begin[i] :]` of its "
                      "states (begin -1: nothing).")
        .def(nb::init<In1<std::int32_t>, In1<double>>(), arg("begin"), arg("weights"));
    bind_passes<std::uint8_t>(
        m,
        R"(One pass of every row of `codes` ([rows, n], column-major) over the nodes at `places` of the order, ascending.

A variable of which something is known is drawn in proportion to theta w, and log of their sum is added to `log_weights`.
Word p of a row is that of the node at place p: of the counter generator, row r being chain `first` + r, or of `words`
[place, row].)");
    bind_passes<std::uint16_t>(m, "");
    m.def(
        "moves", &moves, arg("program"), arg("known"), nb::kw_only(), arg("active"), arg("seed"),
        arg("first_row"), arg("first_sweep"), arg("sweeps"), arg("hidden"),
        arg("codes").noconvert(), arg("cells"), arg("sums").noconvert(),
        arg("impossible").noconvert(),
        R"(Sweeps over the `hidden` variables of every row of `codes` ([rows, n], row-major), in the order.

X_i is drawn from its conditional under the law of the `active` places given all others: theta_i times its weights times
the tables of the active nodes that read it. `hidden` is [rows, n], or [1, n] for all rows alike. Where `sums` has columns,
each conditional is added to `sums[row, cells[i] :]`. `impossible[row]` counts updates that found no possible state, and
left the row as it was.)");
}
