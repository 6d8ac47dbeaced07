#pragma once

// Calls of a Kubernetes API server: get, list, create, patch, update, delete, watch. Objects are JSON. Only get()
// brings metadata.managedFields. Belongs to the io thread.
//
// Retries live here and nowhere above: 429 and 503 with Retry-After, 500/502/503/504 and lost connections of idempotent
// calls, with exponential backoff, up to the call's deadline. API errors come back typed:
//   404 kNotFound | 409 AlreadyExists kAlreadyExists | 409 Conflict kAborted | 410 kOutOfRange | 422/400
//   kInvalidArgument 401 kUnauthenticated | 403 kPermissionDenied | 429 kResourceExhausted | 5xx kUnavailable | 504
//   kDeadlineExceeded
// with the server's message, and the first cause's field path in Error::field.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/http_client.h"
#include "base/result.h"
#include "k8sclient/config.h"
#include "k8sclient/managed_fields.h"
#include "k8sclient/request_path.h"
#include "k8sclient/resource.h"
#include "k8sclient/retry.h"

namespace det::k8s {

struct ListOptions {
  std::string ns;  // empty: all namespaces
  std::string label_selector;
  std::string field_selector;
  int limit = 500;  // page size; `continue` is followed
};

struct ListResult {
  std::vector<nlohmann::json> items;
  std::string resource_version;
};

struct WriteOptions {
  bool dry_run = false;
  std::string field_manager;   // empty: the client's default
  bool strict_fields = false;  // fieldValidation=Strict: unknown fields are an error
};

enum class PatchType : std::uint8_t { kMerge, kStrategicMerge, kJson };

struct PatchOptions {
  PatchType type = PatchType::kMerge;
  std::string subresource;  // "status", or empty
  WriteOptions write;
};

struct DeleteOptions {
  std::string uid;  // precondition, when not empty
  std::string propagation = "Background";
  std::optional<int> grace_period_seconds;
};

// One line of a watch.
struct WatchEvent {
  enum class Type : std::uint8_t { kAdded, kModified, kDeleted, kBookmark, kError };
  Type type = Type::kAdded;
  nlohmann::json object;
};

struct WatchOptions {
  std::string ns;
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;
  bool send_initial_events = false;  // WatchList: ADDED for everything there is, then an annotated bookmark
  std::chrono::seconds server_timeout{300};
  std::chrono::seconds idle_timeout{90};  // > the server's bookmark interval (about 60 s)
};

class Client {
 public:
  Client(HttpTransport& calls, HttpTransport& watches, std::shared_ptr<Config> config, Clock& clock,
         std::string field_manager, RetryPolicy retry = {});

  Task<Result<nlohmann::json>> get(Resource resource, ObjectKey key);
  // All pages. On 410 in the middle of the pages it starts over once.
  Task<Result<ListResult>> list(Resource resource, ListOptions options);
  // The same for collections that may be large: hands each page to `take` as it comes, and returns the resource
  // version. kOutOfRange: the list expired half-way; begin again.
  using TakePage = std::function<void(std::vector<nlohmann::json>)>;
  Task<Result<std::string>> list_by_page(Resource resource, ListOptions options, TakePage take);
  Task<Result<nlohmann::json>> create(Resource resource, std::string ns, nlohmann::json object, WriteOptions options);
  Task<Result<nlohmann::json>> update(Resource resource, ObjectKey key, nlohmann::json object, WriteOptions options);
  // A resourceVersion or uid inside `patch`'s metadata is the server's precondition.
  Task<Result<nlohmann::json>> patch(Resource resource, ObjectKey key, nlohmann::json patch, PatchOptions options);
  // "Not found" is success. A failed uid precondition is success too: the object that was meant is gone.
  Task<Status> remove(Resource resource, ObjectKey key, DeleteOptions options);
  // Runs one watch until it ends (ok), breaks (kUnavailable, kDeadlineExceeded) or the server refuses (typed as above;
  // an ERROR line is returned as the error it carries). `on_event` runs on the io thread.
  Task<Status> watch(Resource resource, WatchOptions options, std::function<void(WatchEvent)> on_event);
  // GET of any path, for discovery, /version and pod logs; the body as text.
  Task<Result<std::string>> get_raw(std::string path);

 private:
  HttpTransport& calls_;
  HttpTransport& watches_;
  std::shared_ptr<Config> config_;
  Clock& clock_;
  std::string field_manager_;
  RetryPolicy retry_;

  [[nodiscard]] HttpRequest request(std::string method, const std::string& path);
  [[nodiscard]] RequestPath write_path(std::string path, const WriteOptions& options) const;
  // A call with its retries; refusals are errors.
  Task<Result<HttpResponse>> call(HttpRequest request, bool idempotent);
  // The same, with the JSON of the answer. `what` is the context of the error: "get pods default/x".
  Task<Result<nlohmann::json>> call_json(HttpRequest request, bool idempotent, std::string what,
                                         ManagedFields managed_fields = ManagedFields::kDrop);
  Task<Result<ListResult>> list_once(Resource resource, ListOptions options);
};

}  // namespace det::k8s
