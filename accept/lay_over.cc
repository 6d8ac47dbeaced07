#include "accept/lay_over.h"

#include <string_view>
#include <utility>

#include "base/json_get.h"

namespace det::accept {
namespace {

bool is_one_value(std::string_view key, const nlohmann::json& value) {
  return key == "max_length" || key == "min_validation_period" || key == "min_checkpoint_period" ||
         value.contains("type");
}

// "gpu" is the old word for cuda, which would win where both are there.
bool renames_cuda(std::string_view key, const nlohmann::json& value) {
  return (key == "image" || key == "environment_variables") && !get_any(value, "gpu").is_null() &&
         get_any(value, "cuda").is_null();
}

}  // namespace

nlohmann::json lay_over(nlohmann::json base, const nlohmann::json& over) {
  for (const auto& [key, value] : over.items()) {
    if (value.is_null()) continue;
    nlohmann::json& mine = base[key];
    if (mine.is_object() && renames_cuda(key, value)) mine.erase("cuda");
    const bool is_merged = mine.is_object() && value.is_object() && !is_one_value(key, value);
    mine = is_merged ? lay_over(std::move(mine), value) : value;
  }
  return base;
}

}  // namespace det::accept
