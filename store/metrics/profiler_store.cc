#include "store/metrics/profiler_store.h"

#include <map>
#include <optional>
#include <sstream>
#include <tuple>

#include "store/metrics/metric_values.h"
#include "store/sql.h"

namespace det::store {
namespace {

const char* const kAdd =
    "INSERT INTO profiler_batches (trial_id, name, agent_id, gpu_uuid, metric_type, values, batches, times) "
    "VALUES ($1, $2, $3, $4, $5, $6::float8[], $7::int[], $8::timestamptz[])";
// Index: profiler_batches_trial. A curve has many batches: each is jumped over to the next name.
const char* const kOlderSeries =
    "SELECT DISTINCT name, agent_id, gpu_uuid, metric_type FROM profiler_batches WHERE trial_id = $1 ORDER BY 1, 2, 3 "
    "LIMIT 1000";
const char* const kOlder =
    "SELECT id, agent_id, gpu_uuid, metric_type, values, to_json(batches), to_json(ARRAY(SELECT date_part('epoch', t) "
    "FROM unnest(times) WITH ORDINALITY AS u (t, place) ORDER BY place)) FROM profiler_batches WHERE trial_id = $1 "
    "AND name = $2 AND ($3 = '' OR agent_id = $3) AND ($4 = '' OR gpu_uuid = $4) AND ($7 = '' OR metric_type = $7) "
    "AND id > $5 AND ($6::timestamptz IS NULL OR times[array_upper(times, 1)] > $6) ORDER BY id LIMIT 20";
// Indexes: series_trial_id_grp_run_names_id_key, metrics_by_time_pkey. The last report of each series has all names.
const char* const kNewerSeries =
    "SELECT s.grp, CASE WHEN pg_column_size(m.extra) < 20000 THEN m.extra->'avg' END FROM series s CROSS JOIN LATERAL "
    "(SELECT extra FROM metrics_by_time WHERE series_id = s.id ORDER BY time DESC LIMIT 1) m WHERE s.trial_id = $1 "
    "AND s.grp IN ('cpu', 'gpu', 'memory', 'disk', 'network') ORDER BY s.id DESC LIMIT 200";
// As much as may be held: compressed JSON can be 91 times as large.
const char* const kNewer =
    "SELECT time, id, CASE WHEN pg_column_size(extra) < 20000 THEN extra->'avg' END FROM (SELECT *, "
    "row_number() OVER w AS place, sum(coalesce(pg_column_size(extra), 0)) OVER w AS size FROM (SELECT m.time, s.id, "
    "m.extra FROM series s JOIN metrics_by_time m ON m.series_id = s.id WHERE s.trial_id = $1 AND s.grp = $2 "
    "AND (m.time, s.id) > ($3::timestamptz, $4::bigint) ORDER BY m.time, s.id LIMIT 500) r WINDOW w AS (ORDER BY time, "
    "id)) q WHERE place = 1 OR size * 91 <= 16777216 ORDER BY time, id";

constexpr std::size_t kMostSeries = 1'000;
const char* const kSystem = "PROFILER_METRIC_TYPE_SYSTEM";

// The group under which newer harnesses report what has that name; empty: none.
std::string group_of(const std::string& name) {
  for (const auto& [prefix, group] :
       {std::pair("cpu_", "cpu"), {"gpu_", "gpu"}, {"disk_", "disk"}, {"net_", "network"}, {"memory_", "memory"}}) {
    if (name.starts_with(prefix)) return group;
  }
  return "";
}

// Calls seen(agent, gpu, name, value) for each number of {agent: {name: value}} and {agent: {gpu: {name: value}}}.
template <typename Seen>
void each_reading(const nlohmann::json& report, const std::string& group, Seen seen) {
  if (!report.is_object()) return;
  for (const auto& [agent, of_agent] : report.items()) {
    if (!of_agent.is_object()) continue;
    for (const auto& [key, value] : of_agent.items()) {
      if (value.is_number()) seen(agent, std::string(), key, value.template get<double>());
      // Disks have a level more, too, which no client of these routes knows.
      if (!value.is_object() || group != "gpu") continue;
      for (const auto& [name, number] : value.items()) {
        if (number.is_number()) seen(agent, key, name, number.template get<double>());
      }
    }
  }
}

std::string number_array(const std::vector<double>& values) {
  std::ostringstream text;
  text.precision(17);
  for (const double value : values) text << (text.tellp() == 0 ? "{" : ",") << value;
  return values.empty() ? "{}" : text.str() + "}";
}

std::string time_array(const std::vector<WallTime>& times) {
  std::vector<std::string> texts;
  for (const WallTime time : times) texts.push_back(format_rfc3339_micros(time));
  return text_array(texts);
}

void read_older(pg::Transaction& tx, const ProfilerSeries& wanted, ProfilerPage& page) {
  std::optional<std::string> since;  // of a place that has a time only
  if (page.next.time != WallTime()) since = format_rfc3339_micros(page.next.time);
  const pqxx::result rows = run_sql(tx, kOlder, wanted.trial.value, wanted.name, wanted.agent, wanted.gpu,
                                    page.next.batch, since, wanted.type);
  for (const auto& row : rows) {
    ProfilerBatch batch{.series = {.trial = wanted.trial,
                                   .name = wanted.name,
                                   .agent = as_text(row[1]),
                                   .gpu = as_text(row[2]),
                                   .type = as_text(row[3])}};
    batch.batches = as_json(row[5]).get<std::vector<std::int64_t>>();
    for (const double seconds : as_json(row[6]).get<std::vector<double>>()) {
      batch.times.push_back(time_of_seconds(seconds));
    }
    append_values({row[4].c_str(), row[4].size()}, batch.times.size(), batch.values, 0);
    page.next.batch = row[0].as<std::int64_t>();
    page.batches.push_back(std::move(batch));
  }
  page.is_last = rows.size() < 20;
}

void read_newer(pg::Transaction& tx, const ProfilerSeries& wanted, ProfilerPage& page) {
  const std::string group = group_of(wanted.name);
  if (group.empty() || (!wanted.type.empty() && wanted.type != kSystem)) return;
  std::map<std::pair<std::string, std::string>, ProfilerBatch> found;
  const pqxx::result rows =
      run_sql(tx, kNewer, wanted.trial.value, group, format_rfc3339_micros(page.next.time), page.next.series);
  for (const auto& row : rows) {
    page.next.time = as_time(row[0]);
    page.next.series = row[1].as<std::int64_t>();
    each_reading(as_json(row[2]), group,
                 [&](const std::string& agent, const std::string& gpu, const std::string& name, double value) {
                   if (name != wanted.name || (!wanted.agent.empty() && agent != wanted.agent)) return;
                   if (!wanted.gpu.empty() && gpu != wanted.gpu) return;
                   ProfilerBatch& batch = found[{agent, gpu}];
                   batch.values.push_back(value);
                   batch.times.push_back(page.next.time);
                 });
  }
  page.is_last = rows.empty();
  for (auto& [where, batch] : found) {
    batch.series = {
        .trial = wanted.trial, .name = wanted.name, .agent = where.first, .gpu = where.second, .type = kSystem};
    page.batches.push_back(std::move(batch));
  }
}

}  // namespace

Task<Status> ProfilerStore::add(std::vector<ProfilerBatch> batches) {
  auto body = [batches = std::move(batches)](pg::Transaction& tx) -> Status {
    for (const ProfilerBatch& batch : batches) {
      const ProfilerSeries& of = batch.series;
      run_sql(tx, kAdd, of.trial.value, of.name, of.agent, of.gpu, of.type, number_array(batch.values),
              int_array(batch.batches), time_array(batch.times));
    }
    return {};
  };
  co_return co_await pool_.write_once("add what a profiler measured", std::move(body));
}

Task<Result<std::vector<ProfilerSeries>>> ProfilerStore::series(model::TrialId trial) {
  auto body = [trial](pg::Transaction& tx) -> Result<std::vector<ProfilerSeries>> {
    std::map<std::tuple<std::string, std::string, std::string>, std::string> types;
    for (const auto& row : run_sql(tx, kOlderSeries, trial.value)) {
      types[{as_text(row[0]), as_text(row[1]), as_text(row[2])}] = as_text(row[3]);
    }
    for (const auto& row : run_sql(tx, kNewerSeries, trial.value)) {
      each_reading(as_json(row[1]), as_text(row[0]),
                   [&types](const std::string& agent, const std::string& gpu, const std::string& name, double) {
                     if (types.size() < kMostSeries) types[{name, agent, gpu}] = kSystem;
                   });
    }
    std::vector<ProfilerSeries> found;
    for (const auto& [of, type] : types) {
      const auto& [name, agent, gpu] = of;
      found.push_back({.trial = trial, .name = name, .agent = agent, .gpu = gpu, .type = type});
    }
    return found;
  };
  co_return co_await pool_.read("list what a profiler measured", std::move(body));
}

Task<Result<ProfilerPage>> ProfilerStore::read(ProfilerSeries wanted, ProfilerPlace after) {
  auto body = [wanted = std::move(wanted), after](pg::Transaction& tx) -> Result<ProfilerPage> {
    ProfilerPage page{.batches = {}, .next = after};
    read_older(tx, wanted, page);
    if (page.is_last) read_newer(tx, wanted, page);
    return page;
  };
  co_return co_await pool_.read("read what a profiler measured", std::move(body));
}

}  // namespace det::store
