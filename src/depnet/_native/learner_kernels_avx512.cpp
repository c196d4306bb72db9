#define DEPNET_ISA_NAMESPACE avx512
#include "learner_kernels_unit.hpp"
