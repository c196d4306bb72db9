// What ends a kernel early, at the door of Python: another thread's word, or Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>

namespace depnet {

namespace nb = nanobind;

// A word to other threads. Every module binds a class of its own that derives from it.
struct StopFlag {
    std::atomic<bool> set{false};
};

template <typename Stop>
void bind_stop(nb::module_& m, const char* doc, const char* doc_of_set) {
    nb::class_<Stop>(m, "Stop", doc)
        .def(nb::init<>())
        .def("set", [](Stop& stop) { stop.set.store(true); }, doc_of_set);
}

// Raises the KeyboardInterrupt that waits, if this is the main thread.
inline void check_signals() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

[[noreturn]] inline void raise_interrupted(const char* message) {
    PyErr_SetString(PyExc_InterruptedError, message);
    throw nb::python_error();
}

}  // namespace depnet
