// Who held slots: run by run, streamed page by page, and added up by days and months.

#include <chrono>
#include <memory>
#include <stdexcept>

#include "api/arguments.h"
#include "api/usage/routes.h"
#include "api/usage/usage_texts.h"

namespace det::api::routes {

namespace {

using store::UsagePeriod;
using store::UsageRange;
using store::UsageRow;

constexpr int kPage = 1000;
// Answers of sums are made whole: a line per user, label and pool of each period.
constexpr int kMostDays = 731;
constexpr int kMostMonths = 120;

Result<UsageRange> read_times(const http::Params& params) {
  QueryArguments query(params);
  const auto begin = query.time("timestampAfter");
  const auto end = query.time("timestampBefore");
  DET_TRY(query.status());
  if (!begin) return fail(ErrorCode::kInvalidArgument, "missing argument: timestamp_after", "timestamp_after");
  if (!end) return fail(ErrorCode::kInvalidArgument, "missing argument: timestamp_before", "timestamp_before");
  if (*begin > *end) {
    return fail(ErrorCode::kInvalidArgument, "start time cannot be after end time", "timestamp_after");
  }
  return UsageRange{.begin = *begin, .end = *end};
}

// How a list of runs begins, goes on and ends.
struct Form {
  std::string head;
  std::string (*line)(const UsageRow& row, const model::MasterConfig& master, bool is_first);
  std::string tail;
};

// What has been sent cannot be taken back: the missing end of a broken answer is how the client knows.
Task<void> write_rows(ApiServices& services, UsageRange range, std::shared_ptr<const Form> form, http::Writer& writer) {
  std::string text = form->head;
  std::optional<UsageRow> last;
  for (bool is_first = true;;) {
    auto rows = co_await services.stores.usage.page(range, last, kPage);
    if (!rows) throw std::runtime_error("a list of usage broke off: " + rows.error().message);
    for (const UsageRow& row : *rows) {
      text += form->line(row, services.settings.master, is_first);
      is_first = false;
    }
    if (rows->size() < kPage) break;
    last = std::move(rows->back());
    if (!co_await writer.write(std::move(text))) co_return;
    text.clear();
  }
  co_await writer.write(text + form->tail);
}

Task<Result<http::Response>> stream_rows(ApiServices& services, Call call, const char* type, Form form) {
  const auto range = read_times(call.request.query);
  DET_CO_TRY(range);
  http::Response response;
  response.headers.add("Content-Type", type);
  response.stream = [&services, range = *range, form = std::make_shared<const Form>(std::move(form))](
                        http::Writer& writer) { return write_rows(services, range, form, writer); };
  co_return response;
}

// A date of days or months: "2026-11-25" or "2026-11".
std::optional<std::chrono::sys_days> parse_date(const std::string& text, UsagePeriod period) {
  const auto time = parse_rfc3339(text + (period == UsagePeriod::kMonth ? "-01" : "") + "T00:00:00Z");
  if (!time) return std::nullopt;
  return std::chrono::floor<std::chrono::days>(*time);
}

struct Asked {
  UsagePeriod period = UsagePeriod::kDay;
  UsageRange range;
};

constexpr std::pair<std::string_view, UsagePeriod> kPeriods[] = {
    {"RESOURCE_ALLOCATION_AGGREGATION_PERIOD_DAILY", UsagePeriod::kDay},
    {"RESOURCE_ALLOCATION_AGGREGATION_PERIOD_MONTHLY", UsagePeriod::kMonth}};

Result<Asked> read_periods(const http::Params& params) {
  QueryArguments query(params);
  const auto periods = query.words("period", kPeriods);
  DET_TRY(query.status());
  if (periods.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "period: expected RESOURCE_ALLOCATION_AGGREGATION_PERIOD_DAILY or _MONTHLY, got nothing", "period");
  }
  Asked asked{.period = periods.front(), .range = {}};
  const bool is_daily = asked.period == UsagePeriod::kDay;
  std::chrono::sys_days days[2];
  for (const bool is_end : {false, true}) {
    const char* const name = is_end ? "end_date" : "start_date";
    const std::string text = query.text(is_end ? "endDate" : "startDate").value_or("");
    const auto date = parse_date(text, asked.period);
    if (!date) {
      return fail(ErrorCode::kInvalidArgument,
                  std::string(name) + ": expected " + (is_daily ? "YYYY-MM-DD" : "YYYY-MM") + ", got '" + text + "'",
                  name);
    }
    days[is_end ? 1 : 0] = *date;
  }
  if (days[0] > days[1]) return fail(ErrorCode::kInvalidArgument, "start date cannot be after end date", "start_date");
  // The last one counts, too.
  const std::chrono::year_month_day last(days[1]);
  const std::chrono::sys_days behind =
      is_daily ? days[1] + std::chrono::days(1)
               : std::chrono::sys_days((last.year() / last.month() + std::chrono::months(1)) / 1);
  const auto most = is_daily ? std::chrono::days(kMostDays) : std::chrono::days(kMostMonths * 31);
  if (behind - days[0] > most) {
    return fail(ErrorCode::kInvalidArgument,
                "end_date: at most " + std::to_string(is_daily ? kMostDays : kMostMonths) +
                    (is_daily ? " days" : " months") + " at once; ask for the rest apart",
                "end_date");
  }
  asked.range = {.begin = WallTime(days[0]), .end = WallTime(behind)};
  return asked;
}

struct Added {
  UsagePeriod period = UsagePeriod::kDay;
  std::vector<UsageEntry> entries;
};

Task<Result<Added>> add_up(ApiServices& services, Call call) {
  const auto asked = read_periods(call.request.query);
  DET_CO_TRY(asked);
  const auto sums = co_await services.stores.usage.sums(asked->range, asked->period);
  DET_CO_TRY(sums);
  co_return Added{.period = asked->period, .entries = entries_of(*sums, asked->period, services.settings.master)};
}

http::Response csv_response(std::string text) {
  http::Response response;
  response.headers.add("Content-Type", "text/csv");
  response.body = std::move(text);
  return response;
}

}  // namespace

Task<Result<http::Response>> raw_usage(ApiServices& services, Call call) {
  const auto line = [](const UsageRow& row, const model::MasterConfig&, bool is_first) {
    return (is_first ? "" : ",") + wire::dump(raw_entry(row));
  };
  return stream_rows(services, std::move(call), "application/json",
                     {.head = "{\"resourceEntries\":[", .line = line, .tail = "]}"});
}

Task<Result<http::Response>> raw_usage_csv(ApiServices& services, Call call) {
  const auto line = [](const UsageRow& row, const model::MasterConfig&, bool) { return raw_line(row); };
  return stream_rows(services, std::move(call), "text/csv",
                     {.head = csv_line(raw_columns()), .line = line, .tail = ""});
}

Task<Result<http::Response>> allocations_csv(ApiServices& services, Call call) {
  const auto line = [](const UsageRow& row, const model::MasterConfig& master, bool) {
    return allocation_line(row, master);
  };
  return stream_rows(services, std::move(call), "text/csv",
                     {.head = csv_line(allocation_columns()), .line = line, .tail = ""});
}

Task<Result<http::Response>> aggregated_usage(ApiServices& services, Call call) {
  const auto added = co_await add_up(services, std::move(call));
  DET_CO_TRY(added);
  wire::Json list = wire::Json::array();
  for (const UsageEntry& entry : added->entries) list.push_back(to_json(entry, added->period));
  co_return ok({{"resourceEntries", list}});
}

Task<Result<http::Response>> aggregated_usage_csv(ApiServices& services, Call call) {
  const auto added = co_await add_up(services, std::move(call));
  DET_CO_TRY(added);
  co_return csv_response(aggregated_csv(added->entries));
}

}  // namespace det::api::routes
