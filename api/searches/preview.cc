#include <string_view>

#include "api/searches/routes.h"
#include "base/guarded_work.h"
#include "base/json_reader.h"
#include "model/expconf/accept_config.h"
#include "searcher/simulate.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

constexpr std::string_view kInvalidSearcher = "invalid searcher configuration";

// Only what a search depends on is looked at: people preview before they have written the rest.
Result<model::AcceptedConfig> search_sections(const wire::Json& given) {
  wire::Json config = {{"entrypoint", "none"}, {"checkpoint_storage", {{"type", "shared_fs"}, {"host_path", "/"}}}};
  for (const char* section : {"searcher", "hyperparameters"}) {
    if (given.contains(section)) config[section] = given[section];
  }
  auto accepted = model::accept_config(config, wire::Json::object(), {});
  if (accepted) return std::move(*accepted);
  return fail(ErrorCode::kInvalidArgument, std::string(kInvalidSearcher) + ": " + join_errors(accepted.error()));
}

Result<http::Response> preview(std::string_view text) {
  auto body = wire::parse_body(text);
  DET_TRY(body);
  wire::RequestFields fields(*body);
  const wire::Json* const config = fields.any("config");
  if (config == nullptr || !config->is_object() || !config->contains("searcher") || (*config)["searcher"].is_null()) {
    return fail(ErrorCode::kInvalidArgument, "invalid experiment configuration; missing searcher", "config.searcher");
  }
  const auto sections = search_sections(*config);
  DET_TRY(sections);
  const wire::Json& document = sections->document;
  const auto hyperparameters = document.value("hyperparameters", wire::Json::object());
  const auto trials = searcher::simulate(sections->config.searcher, hyperparameters, 0);
  if (!trials) {
    const bool says_so = trials.error().message.starts_with(kInvalidSearcher);
    return std::unexpected(says_so ? trials.error() : with_context(trials.error(), kInvalidSearcher));
  }
  return ok({{"summary", {{"config", document["searcher"]}, {"trials", searcher::to_json(*trials)}}}});
}

}  // namespace

// A search of many trials takes a while.
Task<Result<http::Response>> preview_search(ApiServices& services, Call call) {
  auto work = [text = call.request.body.view()] { return preview(text); };
  co_return co_await run_guarded(services.workers, std::move(work));
}

}  // namespace det::api::routes
