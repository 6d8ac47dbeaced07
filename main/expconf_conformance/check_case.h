#pragma once

// One conformance case of the experiment configuration: an instance, and what the schemas named by URL must make of it.
// docs/development.md describes the format.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "main/conformance/report.h"

namespace det::conformance {

// Checks everything that `given`, one element of a case file, asks for. `place` says where it stands.
void check_case(const nlohmann::json& given, const std::string& place, Report& report);

}  // namespace det::conformance
