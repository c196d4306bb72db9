#define DEPNET_ISA_NAMESPACE avx512
#include "stages_unit.hpp"
