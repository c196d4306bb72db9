#define DEPNET_ISA_NAMESPACE avx512
#include "law_unit.hpp"
