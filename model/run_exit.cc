#include "model/run_exit.h"

#include <array>
#include <utility>

namespace det::model {
namespace {

constexpr std::array<std::pair<ExitClass, std::string_view>, 5> kWords = {{
    {ExitClass::kSuccess, "SUCCESS"},
    {ExitClass::kUserError, "USER_ERROR"},
    {ExitClass::kInfrastructure, "INFRASTRUCTURE"},
    {ExitClass::kInvalidPod, "INVALID_POD"},
    {ExitClass::kStopped, "STOPPED"},
}};

}  // namespace

std::string_view to_string(ExitClass kind) {
  for (const auto& [value, word] : kWords) {
    if (value == kind) return word;
  }
  return "INFRASTRUCTURE";
}

std::optional<ExitClass> parse_exit_class(std::string_view word) {
  for (const auto& [value, name] : kWords) {
    if (name == word) return value;
  }
  return std::nullopt;
}

}  // namespace det::model
