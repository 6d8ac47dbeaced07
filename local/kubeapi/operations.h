#pragma once

// Create, update, patch and delete as mutations of a staging: admission in the order of the real server, then the
// change. Belongs to the io thread; nothing here waits.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "local/kubeapi/api_error.h"
#include "local/kubeapi/patch.h"
#include "local/kubeapi/resource_type.h"
#include "local/kubeapi/writer.h"

namespace det::local::kubeapi {

// What happens to fields that nobody knows: dropped, dropped with a warning, refused.
enum class FieldValidation : std::uint8_t { kIgnore, kWarn, kStrict };

struct WriteTarget {
  TypeRef type;
  std::string ns;
  std::string name;
  std::string subresource;  // "status" or empty
  FieldValidation validation = FieldValidation::kWarn;

  [[nodiscard]] Place place() const { return {.collection = type->collection(), .ns = ns, .name = name}; }
};

struct DeleteOptions {
  std::optional<std::int64_t> grace_seconds;
  std::string propagation = "Background";  // Background, Foreground, Orphan
  std::string uid;                         // precondition, when not empty
  std::string resource_version;            // precondition, when not empty
};
// From the body and the query's text values (empty: not given).
[[nodiscard]] ApiResult<DeleteOptions> read_delete_options(const nlohmann::json& body, const std::string& grace,
                                                           const std::string& propagation);

// `warnings` gets a text for each field that was dropped.
Outcome create(Staging& staging, const WriteTarget& target, nlohmann::json object, std::vector<std::string>& warnings);
Outcome update(Staging& staging, const WriteTarget& target, nlohmann::json object, std::vector<std::string>& warnings);
Outcome patch(Staging& staging, const WriteTarget& target, PatchKind kind, const nlohmann::json& patch,
              std::vector<std::string>& warnings);
// The answer is the object while it has to wait (finalizers, a pod's containers, a namespace's content), else a Status.
Outcome remove(Staging& staging, const WriteTarget& target, const DeleteOptions& options);

// A pod's place: what `POST pods/NAME/binding` and the binder do.
Outcome bind(Staging& staging, const Place& pod, const std::string& node);

// Removes it now if nothing holds it any more; called after each change of a deleted object.
ObjectRef finish_if_released(Staging& staging, const Place& place, ObjectRef object);

inline constexpr const char* kForegroundDeletion = "foregroundDeletion";

}  // namespace det::local::kubeapi
