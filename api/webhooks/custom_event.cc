// Messages that training code sends by itself.

#include <algorithm>

#include "api/authorize.h"
#include "api/webhooks/routes.h"
#include "base/cut_text.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

constexpr std::size_t kLongestTitle = 1'000;
constexpr std::size_t kLongestDescription = 10'000;
constexpr std::string_view kLevelWord = "LOG_LEVEL_";
constexpr std::string_view kLevels[] = {"UNSPECIFIED", "TRACE", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"};

Result<std::string> read_level(const std::string& word) {
  std::string_view level = word;
  if (level.starts_with(kLevelWord)) level.remove_prefix(kLevelWord.size());
  if (std::ranges::find(kLevels, level) != std::end(kLevels)) return std::string(level);
  return fail(ErrorCode::kInvalidArgument,
              "data.level: '" + word +
                  "' is none of LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARNING, "
                  "LOG_LEVEL_ERROR, LOG_LEVEL_CRITICAL",
              "data.level");
}

Task<Status> check_sender(ApiServices& services, Identity caller, model::ExperimentId experiment) {
  if (caller.kind != TokenKind::kTaskSession) {
    co_return co_await check_experiment_owner(services, std::move(caller), experiment);
  }
  if (caller.run && caller.run->experiment == experiment) co_return Status();
  co_return fail(ErrorCode::kPermissionDenied, "a task's token tells of its own experiment only");
}

Task<Status> check_subject(ApiServices& services, const store::CustomEvent& event) {
  const auto place = co_await services.stores.place_of.experiment(event.experiment);
  DET_CO_TRY(place);
  if (!*place) co_return fail(ErrorCode::kNotFound, "experiment '" + to_string(event.experiment) + "' not found");
  if (!event.trial) co_return Status();
  const auto trial = co_await services.stores.trials.find(*event.trial);
  DET_CO_TRY(trial);
  if (*trial && (**trial).experiment == event.experiment) co_return Status();
  co_return fail(ErrorCode::kNotFound,
                 "trial '" + to_string(*event.trial) + "' of experiment " + to_string(event.experiment) + " not found");
}

}  // namespace

// Training goes on whatever is said: long texts are cut, and where nobody is to be told nobody is.
Task<Result<http::Response>> custom_event(ApiServices& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("experimentId");
  const auto experiment = fields.integer("experimentId");
  const auto trial = fields.integer("trialId");
  wire::RequestFields data = fields.object("data");
  const std::string level = data.string("level").value_or("LOG_LEVEL_UNSPECIFIED");
  store::CustomEvent event;
  event.title = cut_text(data.string("title").value_or(""), kLongestTitle);
  event.description = cut_text(data.string("description").value_or(""), kLongestDescription);
  for (const Status& status : {fields.status(), data.status()}) DET_CO_TRY(status);
  auto parsed = read_level(level);
  DET_CO_TRY(parsed);
  event.level = std::move(*parsed);
  event.experiment = model::ExperimentId{*experiment};
  if (trial && *trial > 0) event.trial = model::TrialId{*trial};
  DET_CO_TRY(co_await check_sender(services, call.caller, event.experiment));
  DET_CO_TRY(co_await check_subject(services, event));
  DET_CO_TRY(co_await services.stores.webhook_events.custom(std::move(event)));
  co_return ok();
}

}  // namespace det::api::routes
