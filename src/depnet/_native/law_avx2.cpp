#define DEPNET_ISA_NAMESPACE avx2
#include "law_unit.hpp"
