#include "store/metrics/metric_batch.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/encoding.h"
#include "pg/binary_array.h"
#include "pg/binary_value.h"
#include "store/metrics/earlier_report.h"
#include "store/metrics/metric_statements.h"
#include "store/sql.h"

namespace det::store {
namespace {

using pg::BinaryArray;
using Element = BinaryArray::Element;

constexpr std::size_t kShortNames = 256;

// As metric_names.hash has it, in hex.
std::string hash_of(const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined.append(name).append(1, '\0');
  return sha256_hex(joined);
}

// Of a run's group, which may have several series.
std::string group_key(const MetricReport& report) {
  return std::to_string(report.trial.value) + ":" + std::to_string(report.run) + ":" + report.group;
}

// Names of megabytes, of which there may be others in each report, are known by their hash.
std::string key_of(const MetricReport& report) {
  std::size_t size = 0;
  for (const std::string& name : report.metrics.names) size += name.size() + 1;
  const bool is_long = size > kShortNames;
  std::string key;
  key.reserve(report.group.size() + 32 + (is_long ? 0 : size));
  key.append(std::to_string(report.trial.value)).append(1, ':').append(std::to_string(report.run)).append(1, ':');
  key.append(report.group);
  if (is_long) return key.append(2, '\0').append(hash_of(report.metrics.names));
  for (const std::string& name : report.metrics.names) key.append(1, '\0').append(name);
  return key;
}

void add_extra(BinaryArray& column, const nlohmann::json& extra) {
  if (extra.is_null()) {
    column.add_null();
  } else {
    column.add_bytes(json_text(extra));
  }
}

void add_values(BinaryArray& column, const MetricValues& metrics) {
  for (const auto& value : metrics.values) value ? column.add_float8(*value) : column.add_null();
}

// All values of all rows in one flat array; a row takes its slice by offset and length.
struct Slices {
  BinaryArray values{Element::kFloat8};
  BinaryArray offsets{Element::kInt4};
  BinaryArray lengths{Element::kInt4};

  void add(const MetricValues& metrics) {
    offsets.add_int4(values.size());
    lengths.add_int4(static_cast<std::int32_t>(metrics.values.size()));
    add_values(values, metrics);
  }
};

struct SearcherInputs {
  BinaryArray experiments{Element::kInt8};
  BinaryArray trials{Element::kInt8};
  BinaryArray series{Element::kInt4};
  BinaryArray steps{Element::kInt4};
  BinaryArray metrics{Element::kFloat8};
  BinaryArray signs{Element::kFloat8};
  BinaryArray events{Element::kText};

  void add(const MetricReport& report, std::int32_t series_id) {
    experiments.add_int8(report.input->experiment.value);
    trials.add_int8(report.trial.value);
    series.add_int4(series_id);
    steps.add_int4(*report.steps);
    metrics.add_float8(report.input->metric);
    signs.add_float8(report.input->smaller_is_better ? 1.0 : -1.0);
    events.add_bytes(json_text(report.input->event));
  }
};

}  // namespace

Status MetricBatch::connect() {
  if (connection_ && !connection_->is_lost()) return {};
  auto opened = pg::RawConnection::open(url_, "det-operator metrics");
  if (!opened) return fail(ErrorCode::kUnavailable, opened.error().message);
  connection_.emplace(std::move(*opened));
  // What was cached may belong to a database that was restored meanwhile.
  series_.clear();
  groups_.clear();
  current_runs_.clear();
  for (const auto& [name, sql] : metric_statements()) {
    if (Status status = connection_->prepare(name, sql); !status) return give_up_connection(std::move(status).error());
  }
  return {};
}

// Anything that went wrong with the connection itself means "again, with a new one".
Status MetricBatch::give_up_connection(Error error) {
  connection_.reset();
  return fail(ErrorCode::kUnavailable, std::move(error.message));
}

Status MetricBatch::commit(const std::vector<const MetricReport*>& reports, std::vector<Status>& results) {
  if (Status status = connect(); !status) return status;
  narrowed_.clear();
  auto rows = find_rows(reports, results);
  if (!rows) return give_up_connection(std::move(rows).error());
  if (Status known = leave_out_known(*rows, results); !known) {
    if (connection_->is_lost()) return give_up_connection(std::move(known).error());
    for (const Row& row : *rows) results[row.place] = known;
    return {};
  }
  Status written = write(*rows, results);
  if (written) return {};
  if (connection_->is_lost() || written.error().code == ErrorCode::kUnavailable) {
    return give_up_connection(std::move(written).error());
  }
  // One of them is to blame: each on its own.
  for (const Row& row : *rows) {
    if (Status alone = write({row}, results); !alone) results[row.place] = std::move(alone);
    if (connection_->is_lost()) return give_up_connection(results[row.place].error());
  }
  return {};
}

// Of reports that are wrong it sets the result; the connection's error for all.
Result<std::vector<MetricBatch::Row>> MetricBatch::find_rows(const std::vector<const MetricReport*>& reports,
                                                             std::vector<Status>& results) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    auto series = series_of(*reports[i]);
    if (!series && connection_->is_lost()) return std::unexpected(std::move(series).error());
    if (!series) {
      results[i] = std::unexpected(std::move(series).error());
      continue;
    }
    rows.push_back({.report = reports[i], .series = std::move(*series), .place = i});
  }
  return rows;
}

// Two reports of the same steps with other names are other rows: what both name would count twice.
Status MetricBatch::leave_out_known(std::vector<Row>& rows, std::vector<Status>& results) {
  std::vector<Row> shared;
  for (const Row& row : rows) {
    if (row.report->steps && *row.series.has_others) shared.push_back(row);
  }
  if (shared.empty()) return {};
  auto earlier = read_earlier_of("of_others", shared);
  DET_TRY(earlier);
  std::map<std::pair<std::string, std::int32_t>, std::vector<Row>> of_batch;  // by group and steps
  std::vector<Row> left;
  std::size_t next = 0;
  for (Row& row : rows) {
    if (!row.report->steps || !*row.series.has_others) {
      left.push_back(std::move(row));
      continue;
    }
    std::vector<MetricValues> known = std::move((*earlier)[next++]);
    std::vector<Row>& before = of_batch[{group_key(*row.report), *row.report->steps}];
    for (const Row& one : before) {
      if (one.series.id != row.series.id) known.push_back(one.report->metrics);
    }
    const auto says_more = narrow(row, known);
    if (!says_more && connection_->is_lost()) return std::unexpected(says_more.error());
    if (!says_more) results[row.place] = std::unexpected(says_more.error());
    if (!says_more || !*says_more) continue;
    before.push_back(row);
    left.push_back(std::move(row));
  }
  rows = std::move(left);
  return {};
}

// Makes the row one of what is new in its report; false: nothing is.
Result<bool> MetricBatch::narrow(Row& row, const std::vector<MetricValues>& earlier) {
  if (earlier.empty()) return true;
  MetricValues fresh = row.report->metrics;
  for (const MetricValues& known : earlier) {
    auto rest = without_known(std::move(fresh), known);
    DET_TRY(rest);
    fresh = std::move(*rest);
  }
  if (fresh.names.size() == row.report->metrics.names.size()) return true;
  if (fresh.names.empty() && fresh.extra.is_null()) return false;
  MetricReport& made = narrowed_.emplace_back(*row.report);
  made.metrics = std::move(fresh);
  if (made.input && std::ranges::find(made.metrics.names, made.input->name) == made.metrics.names.end()) {
    made.input.reset();
  }
  auto series = series_of(made);
  DET_TRY(series);
  row.series = std::move(*series);
  row.report = &made;
  return true;
}

// By row, what `statement` finds.
Result<std::vector<std::vector<MetricValues>>> MetricBatch::read_earlier_of(const char* statement,
                                                                            const std::vector<Row>& rows) {
  BinaryArray series(Element::kInt4);
  BinaryArray steps(Element::kInt4);
  for (const Row& row : rows) {
    series.add_int4(row.series.id);
    steps.add_int4(*row.report->steps);
  }
  const auto found = connection_->run_prepared(statement, {series.finish(), steps.finish()});
  DET_TRY(found);
  std::vector<std::vector<MetricValues>> earlier(rows.size());
  for (int i = 0; i < pg::row_count(*found); ++i) {
    earlier.at(std::stoul(pg::field(*found, i, 0)))
        .push_back(read_earlier(pg::field(*found, i, 1), pg::field(*found, i, 2), pg::field(*found, i, 3)));
  }
  return earlier;
}

// A report that is there already is the same one again, or another one of the same steps.
Status MetricBatch::write(const std::vector<Row>& rows, std::vector<Status>& results) {
  const auto repeated = insert(rows);
  DET_TRY(repeated);
  if (*repeated == 0) return {};
  std::vector<Row> by_steps;
  for (const Row& row : rows) {
    if (row.report->steps) by_steps.push_back(row);
  }
  const auto kept = read_earlier_of("kept", by_steps);
  DET_TRY(kept);
  for (std::size_t i = 0; i < by_steps.size(); ++i) {
    for (const MetricValues& values : (*kept)[i]) {
      const auto same = without_known(by_steps[i].report->metrics, values);
      if (!same) results[by_steps[i].place] = std::unexpected(same.error());
    }
  }
  return {};
}

Result<MetricBatch::Series> MetricBatch::series_of(const MetricReport& report) {
  DET_TRY(check_run(report));
  const std::string key = key_of(report);
  if (const Series* known = series_.find(key)) return *known;
  auto made = make_series(report);
  DET_TRY(made);
  return series_.put(key, std::move(*made));
}

Status MetricBatch::check_run(const MetricReport& report) {
  const std::int32_t* known = current_runs_.find(report.trial.value);
  if (known != nullptr && *known == report.run && !report.may_outlive_run) return {};
  const auto current = read_run(report);
  DET_TRY(current);
  current_runs_.put(report.trial.value, *current);
  if (*current == report.run) return {};
  return fail(ErrorCode::kInvalidArgument, "invalid run id, " + std::to_string(report.run) +
                                               " (reported) != " + std::to_string(*current) + " (expected)");
}

Result<std::int32_t> MetricBatch::read_run(const MetricReport& report) {
  const auto found = connection_->run_prepared("run", {pg::int8_value(report.trial.value)});
  DET_TRY(found);
  if (PQntuples(found->get()) == 0) return not_found("trial", to_string(report.trial));
  return std::stoi(pg::field(*found, 0, 0));
}

Result<MetricBatch::Series> MetricBatch::make_series(const MetricReport& report) {
  BinaryArray names(Element::kText);
  for (const std::string& name : report.metrics.names) names.add_bytes(name);
  const std::string hash = hex_decode(hash_of(report.metrics.names)).value_or(std::string());
  if (auto made = connection_->run_prepared("make_names", {hash, names.finish()}); !made) {
    return std::unexpected(made.error());
  }
  const std::vector<std::string> series{pg::int8_value(report.trial.value), pg::int4_value(report.run), report.group,
                                        hash};
  DET_TRY(connection_->run_prepared("make_series", series));
  const auto found = connection_->run_prepared("find_series", series);
  DET_TRY(found);
  if (PQntuples(found->get()) == 0) return not_found("trial", to_string(report.trial));
  const bool has_others = pg::field(*found, 0, 1) == "t";
  const std::string group = group_key(report);
  const auto* const known = groups_.find(group);
  const auto shared = known != nullptr ? *known : groups_.put(group, std::make_shared<bool>(has_others));
  *shared = *shared || has_others;
  return Series{.id = std::stoi(pg::field(*found, 0, 0)), .has_others = shared};
}

// How many of those with steps were there already.
Result<std::size_t> MetricBatch::insert(const std::vector<Row>& rows) {
  std::vector<Row> by_steps;
  std::vector<Row> by_time;
  for (const Row& row : rows) (row.report->steps ? by_steps : by_time).push_back(row);
  if (by_time.empty()) return insert_rows(by_steps);
  if (by_steps.empty()) {
    DET_TRY(insert_rows_by_time(by_time));
    return 0;
  }
  DET_TRY(connection_->execute("BEGIN"));
  const auto repeated = insert_rows(by_steps);
  Status status = repeated ? insert_rows_by_time(by_time) : std::unexpected(repeated.error());
  if (status) status = connection_->execute("COMMIT");
  if (status) return repeated;
  static_cast<void>(connection_->execute("ROLLBACK"));  // its failure shows as a lost connection
  return std::unexpected(std::move(status).error());
}

Result<std::size_t> MetricBatch::insert_one(const Row& row) {
  const MetricReport& report = *row.report;
  BinaryArray values(Element::kFloat8);
  add_values(values, report.metrics);
  const auto& extra = report.metrics.extra;
  const auto done = connection_->run_prepared(
      "insert_one", {pg::time_value(report.time), pg::int4_value(row.series.id), pg::int4_value(*report.steps),
                     values.finish(), extra.is_null() ? std::string() : json_text(extra)});
  DET_TRY(done);
  return 1 - pg::written_rows(*done);
}

Result<std::size_t> MetricBatch::insert_rows(const std::vector<Row>& rows) {
  if (rows.empty()) return 0;
  if (rows.size() == 1 && !rows[0].report->input) return insert_one(rows[0]);
  BinaryArray times(Element::kTimestamptz);
  BinaryArray series(Element::kInt4);
  BinaryArray steps(Element::kInt4);
  BinaryArray extras(Element::kText);
  Slices slices;
  SearcherInputs input;
  for (const Row& row : rows) {
    times.add_time(row.report->time);
    series.add_int4(row.series.id);
    steps.add_int4(*row.report->steps);
    slices.add(row.report->metrics);
    add_extra(extras, row.report->metrics.extra);
    if (row.report->input) input.add(*row.report, row.series.id);
  }
  std::vector<std::string> parameters{times.finish(),         series.finish(),         steps.finish(),
                                      slices.values.finish(), slices.offsets.finish(), slices.lengths.finish(),
                                      extras.finish()};
  const bool has_input = input.events.size() > 0;
  if (has_input) {
    for (const BinaryArray* column : {&input.experiments, &input.trials, &input.series, &input.steps, &input.metrics,
                                      &input.signs, &input.events}) {
      parameters.push_back(column->finish());
    }
  }
  const auto done = connection_->run_prepared(has_input ? "insert_with_input" : "insert", parameters);
  DET_TRY(done);
  return rows.size() - std::stoul(pg::field(*done, 0, 0));
}

Status MetricBatch::insert_rows_by_time(const std::vector<Row>& rows) {
  BinaryArray times(Element::kTimestamptz);
  BinaryArray series(Element::kInt4);
  BinaryArray extras(Element::kText);
  Slices slices;
  for (const Row& row : rows) {
    times.add_time(row.report->time);
    series.add_int4(row.series.id);
    slices.add(row.report->metrics);
    add_extra(extras, row.report->metrics.extra);
  }
  auto done =
      connection_->run_prepared("insert_by_time", {times.finish(), series.finish(), slices.values.finish(),
                                                   slices.offsets.finish(), slices.lengths.finish(), extras.finish()});
  DET_TRY(done);
  return {};
}

}  // namespace det::store
