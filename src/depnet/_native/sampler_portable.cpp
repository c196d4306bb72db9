#define DEPNET_ISA_NAMESPACE portable
#include "sampler_unit.hpp"
