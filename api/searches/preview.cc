#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

struct Preview {
  model::AcceptedConfig sections;
  std::vector<searcher::TrialGroup> trials;
};

// `config`: nothing where none was given.
Result<Preview> previewed(const wire::Json* config) {
  if (config == nullptr || !config->is_object() || !config->contains("searcher") || (*config)["searcher"].is_null()) {
    return fail(ErrorCode::kInvalidArgument, "invalid experiment configuration; missing searcher", "config.searcher");
  }
  auto sections = search_sections(*config);
  DET_TRY(sections);
  const auto hyperparameters = sections->document.value("hyperparameters", wire::Json::object());
  auto trials = searcher::simulate(sections->config.searcher, hyperparameters, 0);
  if (!trials) {
    const bool says_so = trials.error().message.starts_with(kInvalidSearcher);
    return std::unexpected(says_so ? trials.error() : with_context(trials.error(), kInvalidSearcher));
  }
  return Preview{.sections = std::move(*sections), .trials = std::move(*trials)};
}

Result<http::Response> preview(std::string_view text) {
  const auto body = wire::parse_body(text);
  DET_TRY(body);
  const auto found = previewed(wire::RequestFields(*body).any("config"));
  DET_TRY(found);
  return ok(
      {{"summary", {{"config", found->sections.document["searcher"]}, {"trials", searcher::to_json(found->trials)}}}});
}

// How older clients are told what a trial trains: "640B", "10E", "5000R", a plain number, or nothing for one that
// trains as far as its code goes.
std::string legacy_length(const searcher::TrialGroup& group, const model::SearcherConfig& search) {
  const auto& length = search.max_length;
  const std::int64_t units = group.is_to_completion ? (length ? length->units : 0) : group.units;
  if (units == 0) return {};
  const std::string unit = group.is_to_completion ? length->unit : group.unit;
  const auto letter = [&]() -> std::string {
    if (unit == "batches") return "B";
    if (unit == "epochs") return "E";
    return unit == "records" ? "R" : "";
  };
  return std::to_string(units) + letter();
}

Result<http::Response> legacy_preview(std::string_view text) {
  const auto body = wire::parse_body(text);
  DET_TRY(body);
  const auto found = previewed(&*body);
  DET_TRY(found);
  wire::Json results = wire::Json::object();
  for (const searcher::TrialGroup& group : found->trials) {
    wire::Json& count = results[legacy_length(group, found->sections.config.searcher)];
    count = (count.is_null() ? 0 : count.get<std::int64_t>()) + group.count;
  }
  return ok({{"results", results}});
}

}  // namespace

// A search of many trials takes a while.
Task<Result<http::Response>> preview_search(ApiServices& services, Call call) {
  auto work = [text = call.request.body.view()] { return preview(text); };
  co_return co_await run_guarded(services.workers, std::move(work));
}

Task<Result<http::Response>> legacy_preview_search(ApiServices& services, Call call) {
  auto work = [text = call.request.body.view()] { return legacy_preview(text); };
  co_return co_await run_guarded(services.workers, std::move(work));
}

}  // namespace det::api::routes
