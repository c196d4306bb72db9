#define DEPNET_ISA_NAMESPACE avx2
#include "sampler_unit.hpp"
