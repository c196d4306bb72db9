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

template <typename T>
using Out2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

#if defined(DEPNET_X86)
#define DEPNET_DISPATCH(isa, call) \
    switch (isa) {                 \
        case Isa::avx512:          \
            return avx512::call;   \
        case Isa::avx2:            \
            return avx2::call;     \
        default:                   \
            return portable::call; \
    }
#else
#define DEPNET_DISPATCH(isa, call) return portable::call;
#endif

void check_known(const Program& program, const In1<std::int32_t>& begin) {
    if (begin.size() != program.variables()) throw std::invalid_argument("one begin a variable");
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

void passes(Program& program, In1<std::int32_t> places, In1<std::int32_t> known_begin,
            In1<double> known_weights, std::uint64_t seed, std::int64_t first,
            std::optional<Out2<const std::uint32_t>> words,
            nb::ndarray<nb::ndim<2>, nb::f_contig, nb::device::cpu> codes,
            Out1<double> log_weights) {
    check_known(program, known_begin);
    const View view = program.view();
    const bool narrow = codes.dtype() == nb::dtype<std::uint8_t>();
    void* data = codes.data();
    const Isa isa = chosen_isa();
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
        const std::int32_t begin = known_begin(static_cast<std::size_t>(node.variable));
        Step step{places(k), -1, program.thresholds(node), nullptr, 0};
        if (begin >= 0) {
            const double* weights = known_weights.data() + begin;
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
                        tile.data()};
    if (narrow) {
        DEPNET_DISPATCH(isa, pass8(view, task, static_cast<std::uint8_t*>(data)))
    } else {
        DEPNET_DISPATCH(isa, pass16(view, task, static_cast<std::uint16_t*>(data)))
    }
}

// Sweeps over the hidden variables of each row, in the order. Word t of a row's stream is that of
// its t-th update of all sweeps, `first_sweep` having been made before.
void moves(Program& program, In1<std::uint8_t> active, In1<std::int32_t> known_begin,
           In1<double> known_weights, std::uint64_t seed, std::int64_t first_row,
           std::int64_t first_sweep, std::int64_t sweeps, Out2<const std::uint8_t> hidden,
           Out2<std::uint16_t> codes, In1<std::int32_t> cells, Out2<double> sums,
           Out1<std::int64_t> impossible) {
    check_known(program, known_begin);
    const View view = program.view();
    const Isa isa = chosen_isa();
    nb::gil_scoped_release release;
    std::vector<double> log_known;
    for (std::size_t c = 0; c < known_weights.size(); ++c)
        log_known.push_back(std::log(known_weights(c)));
    std::vector<std::uint16_t> tile(program.variables() * kRows);
    std::vector<double> logs(program.most_states() * kRows);
    const MoveTask task{active.data(), known_begin.data(), log_known.data(),
                        seed,          first_row,          first_sweep,
                        sweeps,        hidden.data(),      hidden.shape(0) == 1,
                        codes.data(),  codes.shape(0),     cells.data(),
                        sums.data(),   sums.shape(1),      impossible.data(),
                        tile.data(),   logs.data()};
    DEPNET_DISPATCH(isa, move(view, task))
}

}  // namespace
}  // namespace depnet::law

NB_MODULE(law, m) {
    using namespace depnet;
    using namespace depnet::law;
    nb::class_<Program>(m, "Program")
        .def(nb::init<In1<std::int32_t>>(), nb::arg("cardinalities"))
        .def("add_graph_node", &Program::add_graph_node, nb::arg("variable"), nb::arg("tested"),
             nb::arg("begin"), nb::arg("children"), nb::arg("theta"))
        .def("add_table_node", &Program::add_table_node, nb::arg("variable"), nb::arg("inputs"),
             nb::arg("leaves"), nb::arg("theta"));
    m.def("passes", &passes, nb::arg("program"), nb::kw_only(), nb::arg("places"),
          nb::arg("known_begin"), nb::arg("known_weights"), nb::arg("seed"), nb::arg("first"),
          nb::arg("words").none(), nb::arg("codes").noconvert(),
          nb::arg("log_weights").noconvert());
    m.def("moves", &moves, nb::arg("program"), nb::kw_only(), nb::arg("active"),
          nb::arg("known_begin"), nb::arg("known_weights"), nb::arg("seed"), nb::arg("first_row"),
          nb::arg("first_sweep"), nb::arg("sweeps"), nb::arg("hidden"),
          nb::arg("codes").noconvert(), nb::arg("cells"), nb::arg("sums").noconvert(),
          nb::arg("impossible").noconvert());
}
