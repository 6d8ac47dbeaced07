#pragma once

// The readers of base/json_get.h, by the names this folder and its users know them.

#include "base/json_get.h"

namespace det::k8s {

using det::get_any;
using det::get_array;
using det::get_bool;
using det::get_integer;
using det::get_object;
using det::get_string;

}  // namespace det::k8s
