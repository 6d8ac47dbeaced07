#include "store/metrics/report_pages.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <queue>
#include <utility>

#include "store/metrics/metric_values.h"
#include "store/sql.h"

namespace det::store {
namespace {

// Indexes of all: series_trial_id_grp_run_names_id_key, metrics_pkey.
const char* const kSize =
    "SELECT count(*), coalesce(sum(octet_length(n.names::text)), 0) FROM series s "
    "JOIN metric_names n ON n.id = s.names_id WHERE s.trial_id = $1 AND ($2 = '' OR s.grp = $2)";
const char* const kSeries =
    "SELECT s.id, s.run, s.grp, to_json(n.names), s.last_steps FROM visible_series s "
    "JOIN metric_names n ON n.id = s.names_id WHERE s.trial_id = $1 AND ($2 = '' OR s.grp = $2) "
    "ORDER BY s.grp, s.run, s.id";
// Seconds as a number: a third of the time that a written date takes.
const char* const kRows =
    "SELECT q.place, m.steps, date_part('epoch', m.time), m.values, pg_column_size(m.extra) "
    "FROM unnest($1::int[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS q (series, after, last_steps, place) "
    "CROSS JOIN LATERAL (SELECT r.steps, r.time, r.values, r.extra FROM metrics r WHERE r.series_id = q.series "
    "AND r.steps > q.after AND r.steps <= q.last_steps ORDER BY r.steps LIMIT $4) m";
const char* const kOthers =
    "SELECT q.place, m.extra->'avg', m.extra->'batch' FROM unnest($1::int[], $2::int[]) WITH ORDINALITY "
    "AS q (series, steps, place) JOIN metrics m ON m.series_id = q.series AND m.steps = q.steps ORDER BY q.place";

constexpr std::int64_t kMostSeries = 10'000;
constexpr std::int64_t kMostNameBytes = 32 << 20;
constexpr std::size_t kMostRows = 4'000;      // of a page
constexpr std::size_t kMostValues = 100'000;  // of a page
// Of JSON beside the numbers, as large as it can be when PostgreSQL has compressed it: pglz makes 273 bytes of 3.
constexpr std::int64_t kMostOthers = 16 << 20;
constexpr std::int64_t kMostCompressed = 91;

template <typename T>
T number_of(const pqxx::field& field) {
  T value{};
  std::from_chars(field.c_str(), field.c_str() + field.size(), value);
  return value;
}

}  // namespace

struct ReportPages::Source {
  const ReportSeries* series = nullptr;
  std::vector<ReportRow> rows = {};
  std::vector<double> values = {};
  std::size_t given = 0;
  std::int64_t after = -1;
  bool is_over = false;  // the database has no more

  [[nodiscard]] bool is_empty() const { return given == rows.size(); }
  [[nodiscard]] std::int32_t next_steps() const { return rows[given].steps; }
};

struct ReportPages::Later {
  bool operator()(const Source* a, const Source* b) const {
    return std::pair(a->next_steps(), a->series->id) > std::pair(b->next_steps(), b->series->id);
  }
};

// What one source gets.
struct ReportPages::Fetched {
  std::vector<ReportRow> rows = {};
  std::vector<double> values = {};
  std::int64_t seen = 0;
  bool is_cut = false;  // there was more than may be held
  bool is_over = false;
};

ReportPages::ReportPages(pg::Pool& pool, model::TrialId trial, std::string group)
    : pool_(pool), trial_(trial), group_(std::move(group)) {}
ReportPages::~ReportPages() = default;

Task<Result<std::vector<ReportSeries>>> ReportPages::load_series() {
  auto body = [trial = trial_, group = group_](pg::Transaction& tx) -> Result<std::vector<ReportSeries>> {
    const pqxx::row size = run_sql1(tx, kSize, trial.value, group);
    if (size[0].as<std::int64_t>() > kMostSeries || size[1].as<std::int64_t>() > kMostNameBytes) {
      return fail(ErrorCode::kResourceExhausted,
                  "trial " + to_string(trial) + " reported under too many different sets of names to read them all");
    }
    std::vector<ReportSeries> found;
    for (const auto& row : run_sql(tx, kSeries, trial.value, group)) {
      found.push_back({.id = row[0].as<std::int32_t>(),
                       .run = row[1].as<int>(),
                       .group = as_text(row[2]),
                       .names = as_json(row[3]).get<std::vector<std::string>>(),
                       .last_steps = row[4].as<std::int64_t>()});
    }
    return found;
  };
  co_return co_await pool_.read("read series", std::move(body));
}

bool ReportPages::begin_next() {
  sources_.clear();
  if (begun_ == series_.size()) return false;
  const ReportSeries& first = series_[begun_];
  while (begun_ < series_.size() && series_[begun_].group == first.group && series_[begun_].run == first.run) {
    sources_.push_back(std::make_unique<Source>(Source{.series = &series_[begun_++]}));
  }
  return true;
}

Task<Result<ReportPage>> ReportPages::next() {
  if (!is_loaded_) {
    auto series = co_await load_series();
    DET_CO_TRY(series);
    series_ = std::move(*series);
    is_loaded_ = true;
  }
  ReportPage page;
  while (page.empty()) {
    const bool has_more =
        std::ranges::any_of(sources_, [](const auto& source) { return !source->is_over || !source->is_empty(); });
    if (!has_more && !begin_next()) break;
    DET_CO_TRY(co_await refill());
    give(page);
  }
  co_return page;
}

Task<Status> ReportPages::refill() {
  std::vector<Source*> empty;
  for (const auto& source : sources_) {
    if (source->is_empty() && !source->is_over) empty.push_back(source.get());
  }
  if (empty.empty()) co_return Status();
  auto fetched = co_await pool_.read("read reports", [&empty](pg::Transaction& tx) { return fetch(tx, empty); });
  DET_CO_TRY(fetched);
  for (std::size_t i = 0; i < empty.size(); ++i) {
    Source& source = *empty[i];
    Fetched& got = (*fetched)[i];
    source.rows = std::move(got.rows);
    source.values = std::move(got.values);
    source.given = 0;
    source.is_over = got.is_over;
    if (!source.rows.empty()) source.after = source.rows.back().steps;
  }
  co_return Status();
}

Result<std::vector<ReportPages::Fetched>> ReportPages::fetch(pg::Transaction& tx, const std::vector<Source*>& sources) {
  std::vector<Fetched> fetched(sources.size());
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> after;
  std::vector<std::int64_t> last;
  std::size_t names = 1;
  for (const Source* source : sources) {
    ids.push_back(source->series->id);
    after.push_back(source->after);
    last.push_back(source->series->last_steps);
    names = std::max(names, source->series->names.size());
  }
  const std::size_t all = std::min(kMostRows, std::max<std::size_t>(kMostValues / names, 1));
  const auto each = static_cast<std::int64_t>(std::max<std::size_t>(all / sources.size(), 1));
  std::vector<std::pair<std::size_t, std::size_t>> with_others;  // source, row
  std::vector<std::int64_t> others_series;
  std::vector<std::int64_t> others_steps;
  std::int64_t others = 0;
  for (const auto& row : run_sql(tx, kRows, int_array(ids), int_array(after), int_array(last), each)) {
    const std::size_t place = number_of<std::size_t>(row[0]) - 1;
    const ReportSeries& series = *sources[place]->series;
    Fetched& got = fetched[place];
    ++got.seen;
    if (!row[4].is_null()) {
      others += number_of<std::int64_t>(row[4]) * kMostCompressed;
      got.is_cut = got.is_cut || (others > kMostOthers && !got.rows.empty());
    }
    if (got.is_cut) continue;
    if (!row[4].is_null()) {
      with_others.emplace_back(place, got.rows.size());
      others_series.push_back(series.id);
      others_steps.push_back(number_of<std::int64_t>(row[1]));
    }
    got.rows.push_back({.series = &series,
                        .steps = number_of<std::int32_t>(row[1]),
                        .time = time_of_seconds(number_of<double>(row[2])),
                        .first_value = got.values.size()});
    append_values({row[3].c_str(), row[3].size()}, series.names.size(), got.values,
                  std::numeric_limits<double>::quiet_NaN());
  }
  for (Fetched& got : fetched) got.is_over = !got.is_cut && got.seen < each;
  if (with_others.empty()) return fetched;
  for (const auto& row : run_sql(tx, kOthers, int_array(others_series), int_array(others_steps))) {
    const auto [place, at] = with_others[row[0].as<std::size_t>() - 1];
    fetched[place].rows[at].others = as_text(row[1]);
    fetched[place].rows[at].batch_metrics = as_text(row[2]);
  }
  return fetched;
}

void ReportPages::give(ReportPage& page) {
  if (sources_.size() == 1) {
    Source& source = *sources_.front();
    page.rows = std::exchange(source.rows, {});
    page.values = std::exchange(source.values, {});
    source.given = 0;
    return;
  }
  // Up to these steps no series can have anything that is not here.
  std::int64_t known = std::numeric_limits<std::int64_t>::max();
  const auto note = [&known](const Source& source) {
    if (source.is_empty() && !source.is_over) known = std::min(known, source.after);
  };
  std::priority_queue<Source*, std::vector<Source*>, Later> next;
  for (const auto& source : sources_) {
    note(*source);
    if (!source->is_empty()) next.push(source.get());
  }
  std::int64_t steps = -1;
  while (!next.empty() && next.top()->next_steps() <= known) {
    Source* const source = next.top();
    next.pop();
    ReportRow row = std::move(source->rows[source->given++]);
    const auto from = source->values.begin() + static_cast<std::ptrdiff_t>(row.first_value);
    row.joins = row.steps == steps;
    row.first_value = page.values.size();
    page.values.insert(page.values.end(), from, from + static_cast<std::ptrdiff_t>(source->series->names.size()));
    steps = row.steps;
    page.rows.push_back(std::move(row));
    note(*source);
    if (!source->is_empty()) next.push(source);
  }
}

}  // namespace det::store
