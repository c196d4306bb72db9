#define DEPNET_ISA_NAMESPACE avx512
#include "boost_unit.hpp"
