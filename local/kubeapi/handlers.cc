#include "local/kubeapi/handlers.h"

#include <algorithm>
#include <utility>

#include "base/json_get.h"
#include "local/kubeapi/discovery.h"
#include "local/kubeapi/object_meta.h"
#include "local/kubeapi/operations.h"
#include "local/kubeapi/protobuf_body.h"
#include "local/kubeapi/responses.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

WriteTarget target_of(const ApiRequest& api, const http::Request& request) {
  return {.type = api.type,
          .ns = api.ns,
          .name = api.name,
          .subresource = api.subresource,
          .validation = parse_validation(request)};
}

bool wants_aggregated(const http::Request& request) {
  const auto accept = request.headers.find("Accept").value_or("");
  return accept.find("as=APIGroupDiscoveryList") != std::string_view::npos &&
         accept.find("v=v2") != std::string_view::npos;
}

http::Response document(const json& body) {
  return body.is_null() ? refuse(unknown_path()) : answer(dump(body));
}

ApiResult<DeleteOptions> delete_options_of(const http::Request& request) {
  json body = json::object();
  if (!request.body.view().empty()) {
    auto parsed = parse_body(request);
    DET_TRY(parsed);
    body = std::move(*parsed);
  }
  return read_delete_options(body, std::string(request.query.get("gracePeriodSeconds")),
                             std::string(request.query.get("propagationPolicy")));
}

json success_status() {
  return {{"kind", "Status"}, {"apiVersion", "v1"}, {"metadata", json::object()}, {"status", "Success"}, {"code", 201}};
}

}  // namespace

Task<http::Response> Handlers::handle(const http::Request& request) {
  const bool is_resource = request.path.starts_with("/api/v1/") ||
                           (request.path.starts_with("/apis/") && std::ranges::count(request.path, '/') > 3);
  if (!is_resource) co_return about(request);
  auto api = parse_request(request, registry_);
  if (!api) co_return refuse(api.error());
  if (request.method == "GET") co_return co_await get(std::move(*api), request);
  if (request.method == "POST") co_return co_await post(std::move(*api), request);
  if (request.method == "PUT") co_return co_await put(std::move(*api), request);
  if (request.method == "PATCH") co_return co_await patch(std::move(*api), request);
  if (request.method == "DELETE") co_return co_await remove(std::move(*api), request);
  co_return refuse(method_not_allowed());
}

http::Response Handlers::about(const http::Request& request) const {
  if (request.method != "GET") return refuse(method_not_allowed());
  const std::string& path = request.path;
  if (path == "/api" || path == "/apis") {
    const bool is_core = path == "/api";
    if (wants_aggregated(request)) {
      http::Response response = http::Response::text(dump(aggregated_discovery(registry_, is_core)));
      response.headers = {{"Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}};
      return response;
    }
    return document(is_core ? api_versions() : api_groups(registry_));
  }
  if (path == "/api/v1") return document(api_resources(registry_, "v1"));
  if (path == "/openapi/v2") {
    http::Response response = http::Response::text(openapi_v2_message());
    response.headers = {{"Content-Type", "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"}};
    return response;
  }
  if (path == "/openapi/v3") return document(openapi_index(registry_));
  for (const std::string prefix : {"/openapi/v3/apis/", "/openapi/v3/api/"}) {
    if (path.starts_with(prefix)) return document(openapi_document(registry_, path.substr(prefix.size())));
  }
  if (path.starts_with("/apis/")) {
    const std::string rest = path.substr(6);
    return document(rest.find('/') == std::string::npos ? api_group(registry_, rest) : api_resources(registry_, rest));
  }
  return refuse(unknown_path());
}

Task<http::Response> Handlers::get(ApiRequest api, const http::Request& request) {
  if (api.subresource == "log") co_return co_await logs_.read(std::move(api), request);
  if (!api.subresource.empty() && api.subresource != "status") co_return refuse(method_not_allowed());
  if (!api.name.empty()) co_return reader_.get(api, request);
  if (api.is_watch) co_return reader_.watch(api, request);
  co_return co_await reader_.list(std::move(api), request);
}

Task<http::Response> Handlers::write(const http::Request& request, TypeRef type, Mutation mutation,
                                     std::shared_ptr<std::vector<std::string>> warnings) {
  const bool dry_run = is_dry_run(request);
  const AnswerForm form = parse_form(request);
  Outcome outcome;
  if (dry_run) {
    Staging scratch(store_, clock_.wall_now());
    outcome = mutation(scratch);
  } else {
    outcome = co_await writer_.submit(std::move(mutation));
  }
  if (!outcome) co_return refuse(outcome.error());
  const ObjectRef object = outcome->object;
  const bool is_object = get_string(object->value, "kind") != "Status";
  if (form.is_table && is_object) {
    json meta = {{"resourceVersion", std::to_string(object->version)}};
    const json table = render_table(*type, {object}, std::move(meta), form.row_object, true, clock_.wall_now());
    co_return answer(dump(table), outcome->code, *warnings);
  }
  co_return answer(object->text, outcome->code, *warnings);
}

Task<http::Response> Handlers::post(ApiRequest api, const http::Request& request) {
  auto warnings = std::make_shared<std::vector<std::string>>();
  if (api.subresource == "eviction") {
    const auto body = parse_body(request);
    if (!body) co_return refuse(body.error());
    auto options = read_delete_options(get_object(*body, "deleteOptions"), "", "");
    if (!options) co_return refuse(options.error());
    WriteTarget target = target_of(api, request);
    target.subresource.clear();
    Mutation evict = [target, options = *options](Staging& staging) -> Outcome {
      const auto removed = kubeapi::remove(staging, target, options);
      if (!removed) return removed;
      return Written{make_stored(success_status(), removed->object->version, 0), 201};
    };
    co_return co_await write(request, api.type, std::move(evict), warnings);
  }
  if (api.subresource == "binding") {
    const auto body = parse_body(request);
    if (!body) co_return refuse(body.error());
    const std::string node = get_string(get_object(*body, "target"), "name");
    if (node.empty()) co_return refuse(invalid(api.type->subject(api.name), {required("target.name")}));
    Mutation bind = [place = api.place(), node](Staging& staging) -> Outcome {
      const auto bound = kubeapi::bind(staging, place, node);
      if (!bound) return bound;
      return Written{make_stored(success_status(), bound->object->version, 0), 201};
    };
    co_return co_await write(request, api.type, std::move(bind), warnings);
  }
  if (!api.name.empty()) co_return refuse(method_not_allowed());
  auto body = is_protobuf(request) ? decode_protobuf(request.body.view()) : parse_body(request);
  if (!body) co_return refuse(body.error());
  const WriteTarget target = target_of(api, request);
  Mutation make = [target, object = std::move(*body), warnings](Staging& staging) {
    return create(staging, target, object, *warnings);
  };
  co_return co_await write(request, api.type, std::move(make), warnings);
}

Task<http::Response> Handlers::put(ApiRequest api, const http::Request& request) {
  const bool has_put = !api.name.empty() && (api.subresource.empty() || api.subresource == "status");
  if (!has_put) co_return refuse(method_not_allowed());
  auto body = is_protobuf(request) ? decode_protobuf(request.body.view()) : parse_body(request);
  if (!body) co_return refuse(body.error());
  auto warnings = std::make_shared<std::vector<std::string>>();
  const WriteTarget target = target_of(api, request);
  Mutation change = [target, object = std::move(*body), warnings](Staging& staging) {
    return update(staging, target, object, *warnings);
  };
  co_return co_await write(request, api.type, std::move(change), warnings);
}

Task<http::Response> Handlers::patch(ApiRequest api, const http::Request& request) {
  const bool has_patch = !api.name.empty() && (api.subresource.empty() || api.subresource == "status");
  if (!has_patch) co_return refuse(method_not_allowed());
  auto body = parse_patch(request, *api.type);
  if (!body) co_return refuse(body.error());
  auto warnings = std::make_shared<std::vector<std::string>>();
  const WriteTarget target = target_of(api, request);
  Mutation change = [target, body = std::move(*body), warnings](Staging& staging) {
    return kubeapi::patch(staging, target, body.kind, body.patch, *warnings);
  };
  co_return co_await write(request, api.type, std::move(change), warnings);
}

Task<http::Response> Handlers::remove(ApiRequest api, const http::Request& request) {
  if (!api.subresource.empty()) co_return refuse(method_not_allowed());
  auto options = delete_options_of(request);
  if (!options) co_return refuse(options.error());
  auto warnings = std::make_shared<std::vector<std::string>>();
  const WriteTarget target = target_of(api, request);
  if (!api.name.empty()) {
    Mutation erase = [target, options = *options](Staging& staging) {
      return kubeapi::remove(staging, target, options);
    };
    co_return co_await write(request, api.type, std::move(erase), warnings);
  }
  const auto selection = parse_selection(request, *api.type);
  if (!selection) co_return refuse(selection.error());
  Mutation erase_all = [target, options = *options, selection = *selection](Staging& staging) -> Outcome {
    for (const ObjectRef& object : staging.list(target.type->collection(), target.ns)) {
      if (!selection.matches(object->value)) continue;
      WriteTarget one = target;
      one.ns = namespace_of(object->value);
      one.name = name_of(object->value);
      if (const auto removed = kubeapi::remove(staging, one, options); !removed) return removed;
    }
    json done = success_status();
    done["code"] = 200;
    return Written{make_stored(std::move(done), staging.version(), 0), 200};
  };
  co_return co_await write(request, api.type, std::move(erase_all), warnings);
}

}  // namespace det::local::kubeapi
