// Pseudo-Gibbs sampling: the door between numpy arrays and the kernels of each instruction set.

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "arrays.hpp"
#include "isa.hpp"
#include "sampler_kernels.hpp"

namespace depnet::sampler {
namespace {

static_assert(sizeof(Node) == 12 * sizeof(std::int64_t));

template <typename T>
std::vector<T> copied(const In1<T>& values) {
    return std::vector<T>(values.data(), values.data() + values.size());
}

// The arrays of a Program, owned.
struct Nodes {
    std::vector<std::int64_t> heads;
    std::vector<std::uint32_t> thresholds, choice;
    std::vector<std::int32_t> inputs, leaf_map, children, targets, choice_guide;
    std::vector<Vertex> vertices;
    std::vector<std::uint16_t> decode;
    std::int64_t variables, guide_shift;
    bool uniform_choice;
    std::int64_t count;

    Nodes(std::int64_t variables, In1<std::int64_t> heads, In1<std::uint32_t> thresholds,
          In1<std::int32_t> inputs, In1<std::int32_t> leaf_map, In1<std::int32_t> vertex_variable,
          In1<std::int32_t> vertex_begin, In1<std::int32_t> children, In1<std::int32_t> targets,
          In1<std::uint16_t> decode, In1<std::uint32_t> choice, In1<std::int32_t> choice_guide,
          std::int64_t guide_shift, bool uniform_choice, std::int64_t count)
        : heads(copied(heads)),
          thresholds(copied(thresholds)),
          choice(copied(choice)),
          inputs(copied(inputs)),
          leaf_map(copied(leaf_map)),
          children(copied(children)),
          targets(copied(targets)),
          choice_guide(copied(choice_guide)),
          decode(copied(decode)),
          variables(variables),
          guide_shift(guide_shift),
          uniform_choice(uniform_choice),
          count(count) {
        for (std::size_t v = 0; v < vertex_variable.size(); ++v) {
            if (vertex_variable(v) >= 0) {
                vertices.push_back({vertex_variable(v), vertex_begin(v), 1, 0});
            } else {  // a leaf leads to itself
                vertices.push_back(
                    {0, static_cast<std::int32_t>(this->children.size()), 0, vertex_begin(v)});
                this->children.push_back(static_cast<std::int32_t>(v));
            }
        }
    }

    Program view() const {
        return {variables,         count,           reinterpret_cast<const Node*>(heads.data()),
                thresholds.data(), inputs.data(),   leaf_map.data(),
                vertices.data(),   children.data(), targets.data(),
                decode.data(),     choice.data(),   choice_guide.data(),
                guide_shift,       uniform_choice};
    }
};

template <int W>
std::vector<PackedNode<W>> packed_nodes(const std::vector<std::uint64_t>& heads) {
    std::vector<PackedNode<W>> nodes(heads.size() / (3 * W + 3));
    static_assert(sizeof(PackedNode<W>) == (3 * W + 3) * sizeof(std::uint64_t));
    std::memcpy(nodes.data(), heads.data(), heads.size() * sizeof(std::uint64_t));
    return nodes;
}

struct PackedNodes {
    Nodes choices;
    std::vector<std::uint64_t> heads, patterns;
    std::vector<std::uint32_t> thresholds;
    std::vector<PackedVariable> variables;
    std::int64_t cells, width;
    std::vector<PackedNode<1>> nodes1;
    std::vector<PackedNode<2>> nodes2;
    std::vector<PackedNode<4>> nodes4;

    PackedNodes(const Nodes& choices, In1<std::uint64_t> heads, In1<std::uint32_t> thresholds,
                In1<std::uint64_t> patterns, In1<std::uint64_t> variables, std::int64_t cells,
                std::int64_t width)
        : choices(choices),
          heads(copied(heads)),
          patterns(copied(patterns)),
          thresholds(copied(thresholds)),
          variables(variables.size() / 3),
          cells(cells),
          width(width) {
        for (std::size_t i = 0; i < this->variables.size(); ++i)
            this->variables[i] = {static_cast<std::int64_t>(variables(3 * i)),
                                  static_cast<std::int64_t>(variables(3 * i + 1)),
                                  variables(3 * i + 2)};
        if (width == 1) nodes1 = packed_nodes<1>(this->heads);
        if (width == 2) nodes2 = packed_nodes<2>(this->heads);
        if (width == 4) nodes4 = packed_nodes<4>(this->heads);
    }

    PackedProgram view() const {
        const void* nodes = width == 1   ? static_cast<const void*>(nodes1.data())
                            : width == 2 ? static_cast<const void*>(nodes2.data())
                                         : static_cast<const void*>(nodes4.data());
        return {choices.view(), nodes, thresholds.data(), patterns.data(), variables.data(),
                cells,          width};
    }
};

struct SlicedNodes {
    std::vector<std::int64_t> heads;
    std::vector<std::int32_t> vertices;
    std::vector<std::uint32_t> thresholds;
    std::vector<std::uint64_t> planes;
    std::int64_t variables, most_slots;

    SlicedNodes(std::int64_t variables, In1<std::int64_t> heads, In1<std::int32_t> vertices,
                In1<std::uint32_t> thresholds)
        : heads(copied(heads)),
          vertices(copied(vertices)),
          thresholds(copied(thresholds)),
          variables(variables),
          most_slots(1) {
        for (std::size_t k = 0; k < this->heads.size(); k += 6) {
            const std::int64_t first = this->heads[k + 3], leaves = this->heads[k + 4];
            this->heads[k + 5] = static_cast<std::int64_t>(planes.size());
            for (int b = 31; b >= 0; --b)
                for (std::int64_t l = first; l < first + leaves; ++l)
                    planes.push_back((this->thresholds[l] >> b & 1) ? ~std::uint64_t{0} : 0);
            most_slots = std::max(most_slots, this->heads[k + 2] + leaves);
        }
    }

    SlicedProgram view() const {
        return {variables,
                static_cast<std::int64_t>(heads.size() / 6),
                reinterpret_cast<const SlicedNode*>(heads.data()),
                vertices.data(),
                thresholds.data(),
                planes.data(),
                most_slots};
    }
};

static_assert(sizeof(SlicedNode) == 6 * sizeof(std::int64_t));

using Words = std::optional<In1<std::uint32_t>>;

const std::uint32_t* data_of(const Words& words) { return words ? words->data() : nullptr; }

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

template <typename Code>
std::int64_t run_codes(const Nodes& nodes, const Task& task, const Randomness& random, Code* state,
                       Code* out) {
    const Program p = nodes.view();
    const Isa isa = chosen_isa();
    if constexpr (sizeof(Code) == 1) {
        DEPNET_DISPATCH(isa, codes8(p, task, random, state, out))
    } else {
        DEPNET_DISPATCH(isa, codes16(p, task, random, state, out))
    }
}

template <typename Code>
std::int64_t codes(const Nodes& nodes, Task task, std::uint64_t seed, std::uint32_t stream,
                   std::uint32_t place_stream, Words words, Words place_words, Out1<Code> state,
                   nb::ndarray<Code, nb::ndim<2>, nb::c_contig, nb::device::cpu> out) {
    const Randomness random{seed, stream, place_stream, data_of(words), data_of(place_words)};
    task.out_stride = static_cast<std::int64_t>(out.shape(1));
    nb::gil_scoped_release release;
    return run_codes(nodes, task, random, state.data(), out.data());
}

template <typename Code>
std::int64_t run_trace(const Program& p, bool random_scan, const Randomness& random,
                       std::int64_t first, std::int64_t steps, Code* x, Code* out) {
    const Isa isa = chosen_isa();
    if constexpr (sizeof(Code) == 1) {
        DEPNET_DISPATCH(isa, trace8(p, random_scan, random, first, steps, x, out))
    } else {
        DEPNET_DISPATCH(isa, trace16(p, random_scan, random, first, steps, x, out))
    }
}

template <typename Code>
std::int64_t trace(const Nodes& nodes, bool random_scan, std::uint64_t seed, std::uint32_t stream,
                   Words words, std::int64_t first_step, Out1<Code> state,
                   nb::ndarray<Code, nb::ndim<2>, nb::c_contig, nb::device::cpu> out) {
    const Randomness random{seed, stream, 0, data_of(words), nullptr};
    nb::gil_scoped_release release;
    return run_trace(nodes.view(), random_scan, random, first_step,
                     static_cast<std::int64_t>(out.shape(0)), state.data(), out.data());
}

void run_packed(const PackedProgram& p, const Task& task, const Randomness& random,
                std::uint64_t* state, std::uint8_t* out) {
    const Isa isa = chosen_isa();
    if (p.width == 1) {
        DEPNET_DISPATCH(isa, packed1(p, task, random, state, out))
    } else if (p.width == 2) {
        DEPNET_DISPATCH(isa, packed2(p, task, random, state, out))
    } else {
        DEPNET_DISPATCH(isa, packed4(p, task, random, state, out))
    }
}

using Bytes2 = nb::ndarray<std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void packed(const PackedNodes& nodes, Task task, std::uint64_t seed, std::uint32_t stream,
            std::uint32_t place_stream, Words words, Words place_words, Out1<std::uint64_t> state,
            Bytes2 out) {
    const Randomness random{seed, stream, place_stream, data_of(words), data_of(place_words)};
    task.out_stride = static_cast<std::int64_t>(out.shape(1));
    nb::gil_scoped_release release;
    run_packed(nodes.view(), task, random, state.data(), out.data());
}

void run_sliced(const SlicedProgram& p, const Task& task, const Randomness& random,
                std::uint64_t* state, std::uint64_t* scratch, std::uint8_t* out) {
    const Isa isa = chosen_isa();
    DEPNET_DISPATCH(isa, sliced(p, task, random, state, scratch, out))
}

void sliced(const SlicedNodes& nodes, Task task, std::uint64_t seed, std::uint32_t stream,
            std::uint32_t place_stream, Words words, Words place_words, Out1<std::uint64_t> state,
            Bytes2 out) {
    const Randomness random{seed, stream, place_stream, data_of(words), data_of(place_words)};
    task.out_stride = static_cast<std::int64_t>(out.shape(1));
    nb::gil_scoped_release release;
    const SlicedProgram p = nodes.view();
    // Masks of one node, then two planes of 4096 chains for every place: what SlicedRun cuts up.
    const std::size_t bytes = 64 * static_cast<std::size_t>(p.most_slots + 2 * 8 * p.node_count);
    const std::unique_ptr<void, decltype(&std::free)> scratch(std::aligned_alloc(64, bytes),
                                                              &std::free);
    if (!scratch) throw std::bad_alloc();
    run_sliced(p, task, random, state.data(), static_cast<std::uint64_t*>(scratch.get()),
               out.data());
}

std::uint32_t scalar_words(std::uint64_t seed, std::int64_t blocks) {
    nb::gil_scoped_release release;
    return portable::scalar_words(seed, blocks);
}

void make_words(std::uint64_t seed, std::uint32_t stream, std::uint64_t first,
                std::int64_t first_chain,
                nb::ndarray<std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> out) {
    nb::gil_scoped_release release;
    const auto rows = static_cast<std::int64_t>(out.shape(0));
    const auto chains = static_cast<std::int64_t>(out.shape(1));
    const Isa isa = chosen_isa();
    DEPNET_DISPATCH(isa, words(seed, stream, first, first_chain, chains, rows, out.data()))
}

}  // namespace
}  // namespace depnet::sampler

NB_MODULE(sampler, m) {
    using namespace depnet;
    using namespace depnet::sampler;
    nb::class_<Nodes>(m, "Nodes")
        .def(nb::init<std::int64_t, In1<std::int64_t>, In1<std::uint32_t>, In1<std::int32_t>,
                      In1<std::int32_t>, In1<std::int32_t>, In1<std::int32_t>, In1<std::int32_t>,
                      In1<std::int32_t>, In1<std::uint16_t>, In1<std::uint32_t>, In1<std::int32_t>,
                      std::int64_t, bool, std::int64_t>(),
             nb::kw_only(), nb::arg("variables"), nb::arg("heads"), nb::arg("thresholds"),
             nb::arg("inputs"), nb::arg("leaf_map"), nb::arg("vertex_variable"),
             nb::arg("vertex_begin"), nb::arg("children"), nb::arg("targets"), nb::arg("decode"),
             nb::arg("choice"), nb::arg("choice_guide"), nb::arg("guide_shift"),
             nb::arg("uniform_choice"), nb::arg("count"));
    nb::class_<Task>(m, "Task").def(
        "__init__",
        [](Task* t, std::int64_t first_chain, std::int64_t chains, std::int64_t first_sweep,
           std::int64_t first_record, std::int64_t lead, std::int64_t gap, std::int64_t records,
           std::int64_t first_row, std::int64_t record_stride, bool random_scan, bool at_boundary) {
            new (t) Task{first_chain,   chains, first_sweep, first_record,
                         lead,          gap,    records,     first_row,
                         record_stride, 0,      random_scan, at_boundary};
        },
        nb::kw_only(), nb::arg("first_chain"), nb::arg("chains"), nb::arg("first_sweep"),
        nb::arg("first_record"), nb::arg("lead"), nb::arg("gap"), nb::arg("records"),
        nb::arg("first_row"), nb::arg("record_stride"), nb::arg("random_scan"),
        nb::arg("at_boundary") = false);
    m.def("codes", &codes<std::uint8_t>, nb::arg("nodes"), nb::arg("task"), nb::arg("seed"),
          nb::arg("stream"), nb::arg("place_stream"), nb::arg("words").none(),
          nb::arg("place_words").none(), nb::arg("state").noconvert(), nb::arg("out").noconvert());
    m.def("codes", &codes<std::uint16_t>, nb::arg("nodes"), nb::arg("task"), nb::arg("seed"),
          nb::arg("stream"), nb::arg("place_stream"), nb::arg("words").none(),
          nb::arg("place_words").none(), nb::arg("state").noconvert(), nb::arg("out").noconvert());
    m.def("trace", &trace<std::uint8_t>, nb::arg("nodes"), nb::arg("random_scan"), nb::arg("seed"),
          nb::arg("stream"), nb::arg("words").none(), nb::arg("first_step"),
          nb::arg("state").noconvert(), nb::arg("out").noconvert());
    m.def("trace", &trace<std::uint16_t>, nb::arg("nodes"), nb::arg("random_scan"), nb::arg("seed"),
          nb::arg("stream"), nb::arg("words").none(), nb::arg("first_step"),
          nb::arg("state").noconvert(), nb::arg("out").noconvert());
    nb::class_<PackedNodes>(m, "PackedNodes")
        .def(nb::init<const Nodes&, In1<std::uint64_t>, In1<std::uint32_t>, In1<std::uint64_t>,
                      In1<std::uint64_t>, std::int64_t, std::int64_t>(),
             nb::arg("choices"), nb::kw_only(), nb::arg("heads"), nb::arg("thresholds"),
             nb::arg("patterns"), nb::arg("variables"), nb::arg("cells"), nb::arg("width"));
    m.def("packed", &packed, nb::arg("nodes"), nb::arg("task"), nb::arg("seed"), nb::arg("stream"),
          nb::arg("place_stream"), nb::arg("words").none(), nb::arg("place_words").none(),
          nb::arg("state").noconvert(), nb::arg("out").noconvert());
    nb::class_<SlicedNodes>(m, "SlicedNodes")
        .def(nb::init<std::int64_t, In1<std::int64_t>, In1<std::int32_t>, In1<std::uint32_t>>(),
             nb::kw_only(), nb::arg("variables"), nb::arg("heads"), nb::arg("vertices"),
             nb::arg("thresholds"));
    m.def("sliced", &sliced, nb::arg("nodes"), nb::arg("task"), nb::arg("seed"), nb::arg("stream"),
          nb::arg("place_stream"), nb::arg("words").none(), nb::arg("place_words").none(),
          nb::arg("state").noconvert(), nb::arg("out").noconvert());
    m.def("scalar_words", &scalar_words, nb::arg("seed"), nb::arg("blocks"));
    m.def("words", &make_words, nb::arg("seed"), nb::arg("stream"), nb::arg("first"),
          nb::arg("first_chain"), nb::arg("out").noconvert());
}
