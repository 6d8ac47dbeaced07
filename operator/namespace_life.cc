#include "operator/namespace_life.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_get.h"

namespace det::op {

Task<Result<NamespaceLife>> namespace_life(k8s::Client& client, std::string ns) {
  const std::string what = "look for namespace " + ns;
  auto found = co_await client.get(k8s::namespaces(), {.ns = {}, .name = std::move(ns)});
  if (found) {
    const bool is_going = get_any(get_any(*found, "metadata"), "deletionTimestamp").is_string();
    co_return is_going ? NamespaceLife::kGoing : NamespaceLife::kThere;
  }
  if (found.error().code == ErrorCode::kNotFound) co_return NamespaceLife::kGone;
  if (found.error().code == ErrorCode::kPermissionDenied) co_return NamespaceLife::kThere;
  co_return std::unexpected(with_context(std::move(found).error(), what));
}

}  // namespace det::op
