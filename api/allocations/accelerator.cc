#include "api/allocations/accelerator.h"

#include "base/json_get.h"

namespace det::api {

std::vector<std::string> accelerator_uuids(const nlohmann::json& reported) {
  std::vector<std::string> uuids;
  for (const char* name : {"acceleratorUuids", "accelerators"}) {
    for (const nlohmann::json& uuid : get_array(reported, name)) {
      if (uuid.is_string()) uuids.push_back(uuid.get<std::string>());
    }
  }
  return uuids;
}

}  // namespace det::api
