#pragma once

// A request taken apart: which collection or object, which subresource, what form the answer should have. Pure.

#include <optional>
#include <string>
#include <vector>

#include "http/message.h"
#include "local/kubeapi/api_error.h"
#include "local/kubeapi/operations.h"
#include "local/kubeapi/resource_type.h"
#include "local/kubeapi/selector.h"
#include "local/kubeapi/table.h"

namespace det::local::kubeapi {

struct ApiRequest {
  TypeRef type;
  std::string ns;
  std::string name;         // empty: the collection
  std::string subresource;  // "status", "log", "eviction", "binding"
  bool is_watch = false;

  [[nodiscard]] Place place() const { return {.collection = type->collection(), .ns = ns, .name = name}; }
};

// "/api/v1/namespaces/NS/pods/NAME/log". NotFound for what is not served, BadRequest for a namespace where there is
// none.
[[nodiscard]] ApiResult<ApiRequest> parse_request(const http::Request& request, const Registry& registry);

// The answer that Accept asks for: the plain object, or a Table with what ?includeObject says.
struct AnswerForm {
  bool is_table = false;
  RowObject row_object = RowObject::kMetadata;
};
[[nodiscard]] AnswerForm parse_form(const http::Request& request);

[[nodiscard]] ApiResult<Selection> parse_selection(const http::Request& request, const ResourceType& type);
[[nodiscard]] FieldValidation parse_validation(const http::Request& request);
[[nodiscard]] bool is_dry_run(const http::Request& request);
// A number of the query; nullopt when it is absent or empty. BadRequest when it is none.
[[nodiscard]] ApiResult<std::optional<std::uint64_t>> parse_number(const http::Request& request, const char* name);

// The body as an object: JSON or YAML by Content-Type. UnsupportedMediaType says what is understood.
[[nodiscard]] ApiResult<nlohmann::json> parse_body(const http::Request& request);
// The patch and its kind; server-side apply is refused.
struct PatchBody {
  PatchKind kind = PatchKind::kMerge;
  nlohmann::json patch;
};
[[nodiscard]] ApiResult<PatchBody> parse_patch(const http::Request& request, const ResourceType& type);

}  // namespace det::local::kubeapi
