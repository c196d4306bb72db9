#define DEPNET_ISA_NAMESPACE avx2
#include "boost_unit.hpp"
