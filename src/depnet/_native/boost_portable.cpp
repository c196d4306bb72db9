#define DEPNET_ISA_NAMESPACE portable
#include "boost_unit.hpp"
