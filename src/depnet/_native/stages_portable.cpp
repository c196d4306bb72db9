#define DEPNET_ISA_NAMESPACE portable
#include "stages_unit.hpp"
