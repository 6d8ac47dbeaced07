#include "local/kubeapi/request.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/json_get.h"
#include "base/yaml.h"
#include "http/target.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

std::string media_type(const http::Request& request) {
  std::string type(request.headers.find("Content-Type").value_or(""));
  type.resize(std::min(type.size(), type.find(';')));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  return type;
}

bool is_true(std::string_view text) {
  return text == "true" || text == "1";
}

bool is_served(const ResourceType& type, const std::string& subresource) {
  if (subresource.empty()) return true;
  if (subresource == "status") return type.has_status;
  const bool is_pod = type.collection() == "pods";
  return is_pod && (subresource == "log" || subresource == "eviction" || subresource == "binding");
}

}  // namespace

ApiResult<ApiRequest> parse_request(const http::Request& request, const Registry& registry) {
  auto target = http::parse_target(request.target);
  if (!target) return std::unexpected(bad_request(target.error().message));
  auto& parts = target->segments;
  const bool is_core = !parts.empty() && parts[0] == "api";
  const std::size_t prefix = is_core ? 2 : 3;
  if (parts.size() <= prefix || (!is_core && parts[0] != "apis")) return std::unexpected(unknown_path());
  const std::string group = is_core ? "" : parts[1];
  const std::string version = parts[prefix - 1];
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(prefix));
  ApiRequest out;
  const bool in_namespace = parts.size() > 2 && parts[0] == "namespaces" && parts[2] != "status";
  if (in_namespace) {
    out.ns = parts[1];
    parts.erase(parts.begin(), parts.begin() + 2);
  }
  out.type = registry.find(group, version, parts[0]);
  if (out.type == nullptr || parts.size() > 3) return std::unexpected(unknown_path());
  if (parts.size() > 1) out.name = parts[1];
  if (parts.size() > 2) out.subresource = parts[2];
  if (!is_served(*out.type, out.subresource)) return std::unexpected(unknown_path());
  if (in_namespace != out.type->is_namespaced) {
    const bool is_list = out.name.empty() && !in_namespace && request.method == "GET";
    if (!is_list) return std::unexpected(unknown_path());
  }
  out.is_watch = request.method == "GET" && is_true(request.query.get("watch"));
  return out;
}

AnswerForm parse_form(const http::Request& request) {
  const auto accept = request.headers.find("Accept").value_or("");
  AnswerForm form;
  form.is_table = accept.find("as=Table") != std::string_view::npos;
  const auto include = request.query.get("includeObject");
  if (include == "Object") form.row_object = RowObject::kWhole;
  if (include == "None") form.row_object = RowObject::kNone;
  return form;
}

ApiResult<Selection> parse_selection(const http::Request& request, const ResourceType& type) {
  auto labels = LabelSelector::parse(request.query.get("labelSelector"));
  DET_TRY(labels);
  auto fields = FieldSelector::parse(request.query.get("fieldSelector"), type);
  DET_TRY(fields);
  return Selection{.labels = std::move(*labels), .fields = std::move(*fields)};
}

FieldValidation parse_validation(const http::Request& request) {
  const auto text = request.query.get("fieldValidation");
  if (text == "Strict") return FieldValidation::kStrict;
  return text == "Ignore" ? FieldValidation::kIgnore : FieldValidation::kWarn;
}

bool is_dry_run(const http::Request& request) {
  return request.query.get("dryRun") == "All";
}

ApiResult<std::optional<std::uint64_t>> parse_number(const http::Request& request, const char* name) {
  const auto text = request.query.get(name);
  if (text.empty()) return std::nullopt;
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec == std::errc() && read.ptr == text.data() + text.size()) return value;
  return std::unexpected(
      bad_request("invalid value for " + std::string(name) + ": \"" + std::string(text) + "\" is not a number"));
}

ApiResult<json> parse_body(const http::Request& request) {
  const std::string type = media_type(request);
  const std::string_view text = request.body.view();
  if (type == "application/yaml" || type == "application/vnd.kubernetes.yaml") {
    auto parsed = parse_yaml(text);
    if (!parsed) return std::unexpected(bad_request(parsed.error().message));
    if (!parsed->is_object()) return std::unexpected(bad_request("the body is not an object"));
    return std::move(*parsed);
  }
  if (!type.empty() && type != "application/json") {
    return std::unexpected(
        unsupported_media_type("the body of the request was in an unknown format - accepted media types include: "
                               "application/json, application/yaml"));
  }
  auto parsed = parse_json(text);
  if (parsed && !parsed->is_object()) return std::unexpected(bad_request("the body is not an object"));
  return parsed;
}

ApiResult<PatchBody> parse_patch(const http::Request& request, const ResourceType& type) {
  const std::string media = media_type(request);
  PatchBody out;
  if (media == "application/merge-patch+json") {
    out.kind = PatchKind::kMerge;
  } else if (media == "application/json-patch+json") {
    out.kind = PatchKind::kJson;
  } else if (media == "application/strategic-merge-patch+json" && !type.is_custom) {
    out.kind = PatchKind::kStrategic;
  } else if (media == "application/apply-patch+yaml") {
    return std::unexpected(unsupported_media_type(
        "server-side apply is not supported by the embedded Kubernetes API; use client-side apply "
        "(kubectl apply without --server-side) or a merge patch"));
  } else {
    const std::string strategic = type.is_custom ? "" : ", application/strategic-merge-patch+json";
    return std::unexpected(
        unsupported_media_type("the body of the request was in an unknown format - accepted media types include: "
                               "application/json-patch+json, application/merge-patch+json" +
                               strategic));
  }
  auto parsed = parse_json(request.body.view());
  DET_TRY(parsed);
  out.patch = std::move(*parsed);
  return out;
}

}  // namespace det::local::kubeapi
