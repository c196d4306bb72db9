#define DEPNET_ISA_NAMESPACE avx2
#include "stages_unit.hpp"
