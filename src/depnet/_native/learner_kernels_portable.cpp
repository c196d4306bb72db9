#define DEPNET_ISA_NAMESPACE portable
#include "learner_kernels_unit.hpp"
