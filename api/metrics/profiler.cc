// What a trial's profiler measures of its machines: posted by harnesses before 0.36, read from both forms.

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>

#include "api/arguments.h"
#include "api/authorize.h"
#include "api/body.h"
#include "api/metrics/frames.h"
#include "api/metrics/routes.h"
#include "base/guarded_work.h"
#include "store/metrics/metric_report.h"
#include "wire/log_record.h"
#include "wire/quoted.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

using store::ProfilerBatch;
using store::ProfilerSeries;

constexpr std::size_t kMostBatches = 1'000;
constexpr std::size_t kLongestLabel = 1'000;
constexpr std::chrono::seconds kLookAgain{5};
constexpr std::string_view kUnspecified = "PROFILER_METRIC_TYPE_UNSPECIFIED";

std::unexpected<Error> wrong(const std::string& field, const std::string& text) {
  return fail(ErrorCode::kInvalidArgument, field + ": " + text, field);
}

// Clients die of a word that they do not know.
Status check_type(const std::string& type, const std::string& field) {
  constexpr std::array<std::string_view, 5> kTypes = {"", kUnspecified, "PROFILER_METRIC_TYPE_SYSTEM",
                                                      "PROFILER_METRIC_TYPE_TIMING", "PROFILER_METRIC_TYPE_MISC"};
  if (std::ranges::find(kTypes, type) != kTypes.end()) return {};
  return wrong(field, "'" + type +
                          "' is not PROFILER_METRIC_TYPE_SYSTEM, PROFILER_METRIC_TYPE_TIMING or "
                          "PROFILER_METRIC_TYPE_MISC");
}

Result<ProfilerSeries> read_labels(wire::RequestFields labels, const std::string& field) {
  labels.require("trialId");
  labels.require("name");
  ProfilerSeries series{.trial = {labels.integer("trialId").value_or(0)},
                        .name = labels.string("name").value_or(""),
                        .agent = labels.string("agentId").value_or(""),
                        .gpu = labels.string("gpuUuid").value_or(""),
                        .type = labels.string("metricType").value_or("")};
  DET_TRY(labels.status());
  for (const std::string* text : {&series.name, &series.agent, &series.gpu, &series.type}) {
    if (text->size() > kLongestLabel) return wrong(field, "a label is longer than 1000 bytes");
  }
  DET_TRY(check_type(series.type, field + ".metricType"));
  return series;
}

// The list `name` of a batch, element by element through `read`.
template <typename T, typename Read>
Result<std::vector<T>> read_list(const wire::RequestFields& batch, const std::string& field, const char* name,
                                 const char* wanted, Read read) {
  std::vector<T> values;
  const wire::Json* const list = batch.any(name);
  if (list == nullptr || list->is_null()) return values;
  if (!list->is_array()) return wrong(field + "." + name, "expected a list, got " + wire::quoted(*list));
  values.reserve(list->size());
  for (const wire::Json& element : *list) {
    const std::optional<T> value = read(element);
    if (!value) {
      return wrong(field + "." + name + "[" + std::to_string(values.size()) + "]",
                   std::string("expected ") + wanted + ", got " + wire::quoted(element));
    }
    values.push_back(*value);
  }
  return values;
}

std::optional<std::int64_t> as_batch(const wire::Json& element) {
  if (!element.is_number_integer()) return std::nullopt;
  const auto value = element.get<std::int64_t>();
  if (value < 0 || value > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return value;
}
std::optional<WallTime> as_time(const wire::Json& element) {
  return element.is_string() ? parse_rfc3339(element.get_ref<const std::string&>()) : std::nullopt;
}

Result<std::vector<ProfilerBatch>> read_batches(std::string_view text) {
  const auto body = wire::parse_body(text);
  DET_TRY(body);
  const wire::RequestFields request(*body);
  const wire::Json* const list = request.any("batches");
  std::vector<ProfilerBatch> batches;
  if (list == nullptr || list->is_null()) return batches;
  if (!list->is_array()) return wrong("batches", "expected a list, got " + wire::quoted(*list));
  if (list->size() > kMostBatches) return wrong("batches", "more than " + std::to_string(kMostBatches) + " batches");
  for (const wire::Json& element : *list) {
    const std::string field = "batches[" + std::to_string(batches.size()) + "]";
    if (!element.is_object()) return wrong(field, "expected an object, got " + wire::quoted(element));
    wire::RequestFields fields(element, field + ".");
    auto series = read_labels(fields.object("labels"), field + ".labels");
    DET_TRY(fields.status());
    DET_TRY(series);
    auto values = read_list<double>(fields, field, "values", "a number", store::metric_number);
    DET_TRY(values);
    auto steps = read_list<std::int64_t>(fields, field, "batches", "a number of batches", as_batch);
    DET_TRY(steps);
    auto times = read_list<WallTime>(fields, field, "timestamps", "a time like 2026-11-21T02:00:00Z", as_time);
    DET_TRY(times);
    if (values->size() != steps->size() || steps->size() != times->size()) {
      return wrong(field, "values, batches and timestamps should be equal sized arrays");
    }
    batches.push_back({.series = std::move(*series),
                       .values = std::move(*values),
                       .batches = std::move(*steps),
                       .times = std::move(*times)});
  }
  return batches;
}

wire::Json labels_of(const ProfilerSeries& series) {
  return {{"trialId", series.trial.value},
          {"name", series.name},
          {"agentId", series.agent},
          {"gpuUuid", series.gpu},
          {"metricType", series.type.empty() ? kUnspecified : series.type}};
}

std::string text_of(const std::vector<ProfilerBatch>& batches) {
  std::string text;
  for (const ProfilerBatch& batch : batches) {
    wire::Json times = wire::Json::array();
    for (const WallTime time : batch.times) times.push_back(wire::time(time));
    wire::Json values = wire::Json::array();
    for (const double value : batch.values) values.push_back(wire::number(value));
    text += wire::frame({{"batch",
                          {{"values", std::move(values)},
                           {"batches", batch.batches},
                           {"timestamps", std::move(times)},
                           {"labels", labels_of(batch.series)}}}});
  }
  return text;
}

Task<Result<bool>> is_over(ApiServices& services, model::TrialId trial) {
  const auto row = co_await services.stores.trials.find(trial);
  DET_CO_TRY(row);
  co_return !*row || model::is_terminal((*row)->state);
}

class ReadingsStream {
 public:
  ReadingsStream(ApiServices& services, ProfilerSeries wanted, std::optional<WallTime> since, bool follow,
                 http::Writer& writer)
      : services_(services), wanted_(std::move(wanted)), since_(since), follow_(follow), writer_(writer) {}

  Task<Status> run() {
    store::ProfilerPlace place;
    if (since_) {
      // Behind all reports of that time; batches are found by their times.
      place.time = *since_;
      place.series = std::numeric_limits<std::int64_t>::max();
    }
    for (;;) {
      // Before the page: what was measured until the end is then in it.
      const auto over = co_await is_over(services_, wanted_.trial);
      DET_CO_TRY(over);
      const auto page = co_await services_.stores.profiler.read(wanted_, place);
      DET_CO_TRY(page);
      place = page->next;
      auto work = [&page] { return text_of(page->batches); };
      std::string text = co_await run_guarded(services_.workers, std::move(work));
      if (!co_await writer_.write(std::move(text))) co_return Status();
      if (!page->is_last) continue;
      if (!follow_ || *over) co_return Status();
      co_await services_.clock.sleep_for(kLookAgain);
    }
  }

 private:
  ApiServices& services_;
  ProfilerSeries wanted_;
  std::optional<WallTime> since_;
  bool follow_;
  http::Writer& writer_;
};

class SeriesStream {
 public:
  SeriesStream(ApiServices& services, model::TrialId trial, bool follow, http::Writer& writer)
      : services_(services), trial_(trial), follow_(follow), writer_(writer) {}

  // All of them again when there is another.
  Task<Status> run() {
    std::vector<ProfilerSeries> sent;
    for (bool is_first = true;; is_first = false) {
      const auto over = co_await is_over(services_, trial_);
      DET_CO_TRY(over);
      auto series = co_await services_.stores.profiler.series(trial_);
      DET_CO_TRY(series);
      if (is_first || *series != sent) {
        wire::Json labels = wire::Json::array();
        for (const ProfilerSeries& one : *series) labels.push_back(labels_of(one));
        std::string text = wire::frame({{"labels", std::move(labels)}});
        if (!co_await writer_.write(std::move(text))) co_return Status();
        sent = std::move(*series);
      }
      if (!follow_ || *over) co_return Status();
      co_await services_.clock.sleep_for(kLookAgain);
    }
  }

 private:
  ApiServices& services_;
  model::TrialId trial_;
  bool follow_;
  http::Writer& writer_;
};

}  // namespace

Task<Result<http::Response>> report_profile(ApiServices& services, Call call) {
  auto batches = co_await read_body(services, call.request, read_batches);
  DET_CO_TRY(batches);
  std::set<model::TrialId> trials;
  for (const ProfilerBatch& batch : *batches) trials.insert(batch.series.trial);
  for (const model::TrialId trial : trials) {
    const auto row = co_await services.stores.trials.find(trial);
    DET_CO_TRY(row);
    if (!*row) co_return fail(ErrorCode::kNotFound, "trial '" + to_string(trial) + "' not found");
    DET_CO_TRY(co_await check_task(services, call.caller, (**row).task_id));
  }
  DET_CO_TRY(co_await services.stores.profiler.add(std::move(*batches)));
  co_return ok();
}

Task<Result<http::Response>> stream_profile(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  QueryArguments arguments(call.request.query);
  ProfilerSeries wanted{.trial = {*id},
                        .name = arguments.text("labels.name").value_or(""),
                        .agent = arguments.text("labels.agentId").value_or(""),
                        .gpu = arguments.text("labels.gpuUuid").value_or(""),
                        .type = arguments.text("labels.metricType").value_or("")};
  DET_CO_TRY(check_type(wanted.type, "labels.metricType"));
  if (wanted.type == kUnspecified) wanted.type.clear();
  const auto since = arguments.time("since");
  const bool follow = arguments.boolean("follow").value_or(false);
  DET_CO_TRY(arguments.status());
  const auto trial = co_await services.stores.trials.find(wanted.trial);
  DET_CO_TRY(trial);
  if (!*trial) co_return fail(ErrorCode::kNotFound, "trial '" + std::to_string(*id) + "' not found");
  co_return frames<ReadingsStream>(services, std::move(wanted), since, follow);
}

Task<Result<http::Response>> stream_profiled_series(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  QueryArguments arguments(call.request.query);
  const bool follow = arguments.boolean("follow").value_or(false);
  DET_CO_TRY(arguments.status());
  const auto trial = co_await services.stores.trials.find(model::TrialId{*id});
  DET_CO_TRY(trial);
  if (!*trial) co_return fail(ErrorCode::kNotFound, "trial '" + std::to_string(*id) + "' not found");
  co_return frames<SeriesStream>(services, model::TrialId{*id}, follow);
}

}  // namespace det::api::routes
