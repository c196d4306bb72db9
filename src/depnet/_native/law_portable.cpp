#define DEPNET_ISA_NAMESPACE portable
#include "law_unit.hpp"
