#define DEPNET_ISA_NAMESPACE avx512
#include "sampler_unit.hpp"
