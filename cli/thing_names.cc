#include "cli/thing_names.h"

namespace det::cli {

Task<Result<Json>> ThingNames::name_of(std::string path, Json id, std::string kind, std::string key) {
  if (id.is_null()) co_return Json();
  path += id.dump();
  if (const auto known = known_.find(path); known != known_.end()) co_return known->second;
  const auto answer = co_await client_.get(path);
  DET_CO_TRY(answer);
  co_return known_[path] = field(field(*answer, kind), key);
}

}  // namespace det::cli
