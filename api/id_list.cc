#include "api/id_list.h"

#include <algorithm>

namespace det::api {

Result<std::vector<std::int64_t>> read_id_list(const wire::Json* given, const std::string& field) {
  if (given == nullptr) return std::vector<std::int64_t>();
  const auto is_id = [](const wire::Json& one) { return one.is_number_integer(); };
  if (given->is_array() && given->size() <= kMostAtOnce && std::ranges::all_of(*given, is_id)) {
    return given->get<std::vector<std::int64_t>>();
  }
  return fail(ErrorCode::kInvalidArgument,
              field + ": expected a list of at most " + std::to_string(kMostAtOnce) + " numbers", field);
}

}  // namespace det::api
