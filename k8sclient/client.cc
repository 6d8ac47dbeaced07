#include "k8sclient/client.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "base/json_get.h"
#include "k8sclient/api_error.h"
#include "k8sclient/object_reader.h"

namespace det::k8s {
namespace {

using nlohmann::json;

std::string what_text(const char* verb, const Resource& resource, const ObjectKey& key) {
  const std::string name = to_string(key);
  return std::string(verb) + " " + resource.plural + (name.empty() ? "" : " " + name);
}

const char* content_type(PatchType type) {
  switch (type) {
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kStrategicMerge:
      return "application/strategic-merge-patch+json";
    case PatchType::kJson:
      return "application/json-patch+json";
  }
  return "application/merge-patch+json";
}

// The JSON text of what callers built; bytes that are not UTF-8 become U+FFFD instead of an exception.
std::string text_of(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json delete_body(const DeleteOptions& options) {
  json body = {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"propagationPolicy", options.propagation}};
  if (!options.uid.empty()) body["preconditions"] = {{"uid", options.uid}};
  if (options.grace_period_seconds) body["gracePeriodSeconds"] = *options.grace_period_seconds;
  return body;
}

}  // namespace

Client::Client(HttpTransport& calls, HttpTransport& watches, std::shared_ptr<Config> config, Clock& clock,
               std::string field_manager, RetryPolicy retry)
    : calls_(calls),
      watches_(watches),
      config_(std::move(config)),
      clock_(clock),
      field_manager_(std::move(field_manager)),
      retry_(retry) {}

HttpRequest Client::request(std::string method, const std::string& path) {
  HttpRequest request;
  request.method = std::move(method);
  request.url = config_->server() + path;
  request.tls = config_->tls();
  request.is_direct = config_->is_inside();
  request.headers.emplace_back("Accept", "application/json");
  const std::string token = config_->bearer_token();
  if (!token.empty()) request.headers.emplace_back("Authorization", "Bearer " + token);
  return request;
}

RequestPath Client::write_path(std::string path, const WriteOptions& options) const {
  RequestPath full(std::move(path));
  full.with("fieldManager", options.field_manager.empty() ? field_manager_ : options.field_manager)
      .with("dryRun", options.dry_run ? "All" : "")
      .with("fieldValidation", options.strict_fields ? "Strict" : "");
  return full;
}

Task<Result<HttpResponse>> Client::call(HttpRequest request, bool idempotent) {
  const SteadyTime deadline = clock_.steady_now() + retry_.deadline;
  for (int failures = 1;; ++failures) {
    const auto left = deadline - clock_.steady_now();
    HttpRequest attempt = request;
    // Not 0, which is none: the sleep before this may have ended late.
    attempt.timeout = std::max(std::chrono::ceil<std::chrono::milliseconds>(left), std::chrono::milliseconds(1));
    auto result = co_await calls_.send(std::move(attempt));
    if (result && result->status >= 200 && result->status < 300) co_return result;
    const auto delay = retry_delay(retry_, result, idempotent, failures, deadline - clock_.steady_now());
    if (!delay) {
      if (!result) co_return result;
      co_return std::unexpected(error_of_response(*result));
    }
    co_await clock_.sleep_for(*delay);
  }
}

Task<Result<json>> Client::call_json(HttpRequest request, bool idempotent, std::string what,
                                     ManagedFields managed_fields) {
  const auto response = co_await call(std::move(request), idempotent);
  if (!response) co_return std::unexpected(with_context(response.error(), what));
  auto body = ObjectReader(managed_fields).read(response->body);
  if (!body) co_return fail(ErrorCode::kInternal, what + ": the answer is not JSON");
  co_return *std::move(body);
}

Task<Result<json>> Client::get(Resource resource, ObjectKey key) {
  auto call = request("GET", resource.object_path(key.ns, key.name));
  return call_json(std::move(call), true, what_text("get", resource, key), ManagedFields::kKeep);
}

Task<Result<ListResult>> Client::list(Resource resource, ListOptions options) {
  auto listed = co_await list_once(resource, options);
  const bool expired = !listed && listed.error().code == ErrorCode::kOutOfRange;
  if (expired) listed = co_await list_once(resource, options);
  co_return listed;
}

Task<Result<ListResult>> Client::list_once(Resource resource, ListOptions options) {
  ListResult result;
  TakePage take = [&result](std::vector<json> items) {
    std::move(items.begin(), items.end(), std::back_inserter(result.items));
  };
  auto version = co_await list_by_page(resource, std::move(options), std::move(take));
  DET_CO_TRY(version);
  result.resource_version = std::move(*version);
  co_return result;
}

Task<Result<std::string>> Client::list_by_page(Resource resource, ListOptions options, TakePage take) {
  const std::string what = what_text("list", resource, {.ns = {}, .name = options.ns});
  std::string version;
  std::string next;
  do {
    RequestPath path(resource.collection_path(options.ns));
    path.with("limit", std::to_string(options.limit))
        .with("labelSelector", options.label_selector)
        .with("fieldSelector", options.field_selector)
        .with("continue", next);
    auto page_call = request("GET", path.text());
    auto page = co_await call_json(std::move(page_call), true, what);
    DET_CO_TRY(page);
    const json& metadata = get_object(*page, "metadata");
    next = get_string(metadata, "continue");
    version = get_string(metadata, "resourceVersion");
    const auto items = page->find("items");
    if (items == page->end() || !items->is_array()) continue;  // Go writes an empty list as null
    take(std::move(items->get_ref<json::array_t&>()));
  } while (!next.empty());
  co_return version;
}

Task<Result<json>> Client::create(Resource resource, std::string ns, json object, WriteOptions options) {
  auto call = request("POST", write_path(resource.collection_path(ns), options).text());
  call.headers.emplace_back("Content-Type", "application/json");
  call.body = text_of(object);
  const std::string name = get_string(get_object(object, "metadata"), "name");
  return call_json(std::move(call), false, what_text("create", resource, {.ns = ns, .name = name}));
}

Task<Result<json>> Client::update(Resource resource, ObjectKey key, json object, WriteOptions options) {
  auto call = request("PUT", write_path(resource.object_path(key.ns, key.name), options).text());
  call.headers.emplace_back("Content-Type", "application/json");
  call.body = text_of(object);
  return call_json(std::move(call), true, what_text("update", resource, key));
}

Task<Result<json>> Client::patch(Resource resource, ObjectKey key, json patch, PatchOptions options) {
  std::string path = resource.object_path(key.ns, key.name);
  if (!options.subresource.empty()) path += "/" + options.subresource;
  auto call = request("PATCH", write_path(std::move(path), options.write).text());
  call.headers.emplace_back("Content-Type", content_type(options.type));
  call.body = text_of(patch);
  // A JSON patch may add to a list: sent twice, it adds twice.
  const bool idempotent = options.type != PatchType::kJson;
  return call_json(std::move(call), idempotent, what_text("patch", resource, key));
}

Task<Status> Client::remove(Resource resource, ObjectKey key, DeleteOptions options) {
  auto request_ = request("DELETE", resource.object_path(key.ns, key.name));
  request_.headers.emplace_back("Content-Type", "application/json");
  request_.body = text_of(delete_body(options));
  const auto response = co_await call(std::move(request_), true);
  if (response) co_return Status();
  const Error& error = response.error();
  if (error.code == ErrorCode::kNotFound) co_return Status();
  if (!options.uid.empty() && is_of_another_uid(error)) co_return Status();
  co_return std::unexpected(with_context(error, what_text("delete", resource, key)));
}

Task<Result<std::string>> Client::get_raw(std::string path) {
  auto raw = request("GET", path);
  auto response = co_await call(std::move(raw), true);
  if (!response) co_return std::unexpected(with_context(response.error(), "get " + path));
  co_return std::move(response->body);
}

}  // namespace det::k8s
