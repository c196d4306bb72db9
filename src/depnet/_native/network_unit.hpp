// The body of one translation unit: all kernels of the module `network`, for one instruction set.
#pragma once

#include "chains_unit.hpp"
#include "law_unit.hpp"
#include "stages_unit.hpp"
