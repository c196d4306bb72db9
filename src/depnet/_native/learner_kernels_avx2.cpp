#define DEPNET_ISA_NAMESPACE avx2
#include "learner_kernels_unit.hpp"
