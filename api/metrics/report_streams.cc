// All reports of some trials, as they were made. A reader who is slow holds two pages of them and no connection.

#include <algorithm>
#include <map>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include "api/access_check.h"
#include "api/arguments.h"
#include "api/metrics/frames.h"
#include "api/metrics/routes.h"
#include "api/stream_access.h"
#include "base/guarded_work.h"
#include "wire/report_text.h"

namespace det::api::routes {

namespace {

constexpr std::size_t kMostTrials = 1'000;
// Of one message: as many reports as Determined sends at once, and no more text than stays in the cache.
constexpr std::size_t kMostReports = 1'000;
constexpr std::size_t kMostText = 256 << 10;

using Keys = std::map<const store::ReportSeries*, std::vector<std::string>>;

// Reports of a page as messages. On a pool: it is most of the work.
class PageText {
 public:
  explicit PageText(model::TrialId trial) : trial_(trial) {}

  // The next message of `page`, whose rows before `at` are written; moves `at` on.
  std::string next(const store::ReportPage& page, std::size_t& at) {
    std::string text = R"({"result":{"metrics":[)";
    text.reserve(kMostText + kMostText / 4);
    for (std::size_t reports = 0; at < page.rows.size() && reports < kMostReports && text.size() < kMostText;
         ++reports) {
      if (reports > 0) text += ',';
      append(text, page, at);
    }
    text += "]}}\n";
    return text;
  }

 private:
  // One report, which may be several rows.
  void append(std::string& text, const store::ReportPage& page, std::size_t& at) {
    const store::ReportRow& first = page.rows[at];
    parts_.clear();
    std::string_view batch;
    do {
      const store::ReportRow& row = page.rows[at];
      auto& keys = keys_[row.series];
      if (keys.empty()) keys = wire::report_keys(row.series->names);
      parts_.push_back(
          {.keys = keys, .values = std::span(page.values).subspan(row.first_value, keys.size()), .others = row.others});
      if (batch.empty()) batch = row.batch_metrics;
      ++at;
    } while (at < page.rows.size() && page.rows[at].joins);
    wire::append_report(text,
                        {.trial = trial_,
                         .run = first.series->run,
                         .group = first.series->group,
                         .steps = first.steps,
                         .time = first.time,
                         .number = ++number_,
                         .batch_metrics = batch},
                        parts_);
  }

  model::TrialId trial_;
  Keys keys_;
  std::vector<wire::ReportPart> parts_;
  std::int64_t number_ = 0;
};

class ReportStream {
 public:
  ReportStream(ApiServices& services, std::vector<model::TrialId> trials, std::string group, http::Writer& writer)
      : services_(services), trials_(std::move(trials)), group_(std::move(group)), writer_(writer) {}

  Task<Status> run() {
    for (const model::TrialId trial : trials_) {
      const auto goes_on = co_await send(trial);
      DET_CO_TRY(goes_on);
      if (!*goes_on) break;
    }
    co_return Status();
  }

 private:
  // False when the client has gone.
  Task<Result<bool>> send(model::TrialId trial) {
    using boost::asio::experimental::awaitable_operators::operator&&;
    store::ReportPages pages = services_.stores.metric_series.pages(trial, group_);
    PageText text(trial);
    auto page = co_await pages.next();
    DET_CO_TRY(page);
    while (!page->empty()) {
      // The database reads on meanwhile.
      auto [goes_on, following] = co_await (write(text, *page) && pages.next());
      if (!goes_on) co_return false;
      page = std::move(following);
      DET_CO_TRY(page);
    }
    co_return true;
  }

  Task<bool> write(PageText& text, const store::ReportPage& page) {
    for (std::size_t at = 0; at < page.rows.size();) {
      auto work = [&text, &page, &at] { return text.next(page, at); };
      std::string message = co_await run_guarded(services_.workers, std::move(work));
      if (!co_await writer_.write(std::move(message))) co_return false;
    }
    co_return true;
  }

  ApiServices& services_;
  std::vector<model::TrialId> trials_;
  std::string group_;
  http::Writer& writer_;
};

Task<Result<http::Response>> stream(ApiServices& services, Call call, std::string group) {
  QueryArguments arguments(call.request.query);
  std::vector<std::int64_t> ids = arguments.integers("trialIds");
  DET_CO_TRY(arguments.status());
  if (ids.empty()) {
    co_return fail(ErrorCode::kInvalidArgument, "must specify at least one trialId", "trialIds");
  }
  if (ids.size() > kMostTrials) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "trialIds: " + std::to_string(ids.size()) + " trials are more than the " +
                       std::to_string(kMostTrials) + " that are read at once",
                   "trialIds");
  }
  std::ranges::sort(ids);
  if (const auto twice = std::ranges::adjacent_find(ids); twice != ids.end()) {
    co_return fail(ErrorCode::kInvalidArgument, "duplicate id=" + std::to_string(*twice) + " specified", "trialIds");
  }
  const Permit permit = [&services, ids](const SharedIdentity& caller) {
    return require_trials(services, *caller, ids, model::Permission::kViewExperimentArtifacts);
  };
  DET_CO_TRY(co_await permit(call.identity));
  std::vector<model::TrialId> trials;
  for (const std::int64_t id : ids) {
    const auto trial = co_await services.stores.trials.find(model::TrialId{id});
    DET_CO_TRY(trial);
    if (!*trial) co_return fail(ErrorCode::kNotFound, "trial '" + std::to_string(id) + "' not found");
    trials.push_back(model::TrialId{id});
  }
  http::Response response = frames<ReportStream>(services, std::move(trials), std::move(group));
  response.stream = while_permitted(services, call.request, permit, std::move(response.stream));
  co_return response;
}

}  // namespace

Task<Result<http::Response>> stream_metrics(ApiServices& services, Call call) {
  const QueryArguments arguments(call.request.query);
  std::string group = arguments.text("group").value_or("");
  co_return co_await stream(services, call, std::move(group));
}

Task<Result<http::Response>> stream_training_metrics(ApiServices& services, Call call) {
  co_return co_await stream(services, call, "training");
}

Task<Result<http::Response>> stream_validation_metrics(ApiServices& services, Call call) {
  co_return co_await stream(services, call, "validation");
}

}  // namespace det::api::routes
