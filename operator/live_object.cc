#include "operator/live_object.h"

#include <utility>

#include "base/json_get.h"

namespace det::op {

Task<Result<bool>> is_kept(k8s::Client& client, k8s::EventSubject object) {
  auto live = co_await client.get(std::move(object.resource), std::move(object.key));
  if (!live && live.error().code == ErrorCode::kNotFound) co_return false;
  if (!live) co_return std::unexpected(std::move(live).error());
  const nlohmann::json& metadata = get_object(*live, "metadata");
  co_return get_string(metadata, "uid") == object.uid && !metadata.contains("deletionTimestamp");
}

}  // namespace det::op
