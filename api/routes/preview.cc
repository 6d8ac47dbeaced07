#include "searcher/preview.h"
#include "api/routes/handlers.h"
#include "base/json_reader.h"
#include "model/accept_config.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

// Only what a search depends on is looked at: people preview before they have written the rest.
Result<wire::Json> search_sections(const wire::Json& given) {
  wire::Json config = {{"entrypoint", "none"}, {"checkpoint_storage", {{"type", "shared_fs"}, {"host_path", "/"}}}};
  for (const char* section : {"searcher", "hyperparameters"}) {
    if (given.contains(section)) config[section] = given[section];
  }
  auto accepted = model::accept_config(config, wire::Json::object(), {});
  if (accepted) return std::move(accepted->document);
  return fail(ErrorCode::kInvalidArgument, "invalid searcher configuration: " + join_errors(accepted.error()));
}

wire::Json to_json(const searcher::PreviewedTrials& trials) {
  wire::Json unit = {{"maxLength", trials.to_completion}, {"name", nullptr}, {"value", nullptr}};
  if (!trials.to_completion) {
    unit["name"] = trials.unit;
    unit["value"] = trials.length;
  }
  return {{"count", trials.count}, {"unit", std::move(unit)}};
}

}  // namespace

Task<Result<http::Response>> preview_search(Services&, Call call) {
  auto body = wire::parse_body(call.request.body.view());
  if (!body) co_return std::unexpected(body.error());
  wire::RequestFields fields(*body);
  const wire::Json* const config = fields.any("config");
  if (config == nullptr || !config->is_object() || !config->contains("searcher") || (*config)["searcher"].is_null()) {
    co_return fail(ErrorCode::kInvalidArgument, "invalid experiment configuration; missing searcher",
                   "config.searcher");
  }
  const auto sections = search_sections(*config);
  if (!sections) co_return std::unexpected(sections.error());
  const auto hyperparameters = sections->value("hyperparameters", wire::Json::object());
  const auto preview = searcher::preview_search((*sections)["searcher"], hyperparameters);
  if (!preview) co_return std::unexpected(with_context(preview.error(), "invalid searcher configuration"));
  wire::Json trials = wire::Json::array();
  for (const auto& group : *preview) trials.push_back(to_json(group));
  co_return ok({{"summary", {{"config", (*sections)["searcher"]}, {"trials", std::move(trials)}}}});
}

}  // namespace det::api::routes
