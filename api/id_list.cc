#include "api/id_list.h"

#include <set>

#include "wire/quoted.h"
#include "wire/request_fields.h"

namespace det::api {

Result<std::vector<std::int64_t>> read_id_list(const wire::Json* given, const std::string& field) {
  if (given == nullptr) return std::vector<std::int64_t>();
  if (!given->is_array() || given->size() > kMostAtOnce) {
    const std::string got = given->is_array() ? std::to_string(given->size()) + " of them" : wire::quoted(*given);
    return fail(ErrorCode::kInvalidArgument,
                field + ": expected a list of at most " + std::to_string(kMostAtOnce) + " numbers, got " + got, field);
  }
  std::vector<std::int64_t> ids;
  std::set<std::int64_t> seen;
  for (std::size_t i = 0; i < given->size(); ++i) {
    const std::string name = field + "[" + std::to_string(i) + "]";
    const wire::Json one = {{name, (*given)[i]}};
    wire::RequestFields fields(one);
    fields.require(name);
    const auto id = fields.integer(name);
    DET_TRY(fields.status());
    if (seen.insert(*id).second) ids.push_back(*id);
  }
  return ids;
}

}  // namespace det::api
