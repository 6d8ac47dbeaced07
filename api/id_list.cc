#include "api/id_list.h"

#include <algorithm>
#include <set>
#include <utility>

namespace det::api {

Result<std::vector<std::int64_t>> read_id_list(const wire::Json* given, const std::string& field) {
  if (given == nullptr) return std::vector<std::int64_t>();
  const auto is_id = [](const wire::Json& one) {
    return one.is_number_unsigned() ? std::in_range<std::int64_t>(one.get<std::uint64_t>()) : one.is_number_integer();
  };
  if (given->is_array() && given->size() <= kMostAtOnce && std::ranges::all_of(*given, is_id)) {
    std::vector<std::int64_t> ids;
    std::set<std::int64_t> seen;
    for (const wire::Json& one : *given) {
      if (const auto id = one.get<std::int64_t>(); seen.insert(id).second) ids.push_back(id);
    }
    return ids;
  }
  return fail(ErrorCode::kInvalidArgument,
              field + ": expected a list of at most " + std::to_string(kMostAtOnce) + " numbers", field);
}

}  // namespace det::api
