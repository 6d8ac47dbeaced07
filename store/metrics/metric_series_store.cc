#include "store/metrics/metric_series_store.h"

namespace det::store {
namespace {

// What one curve adds to what is kept: some tenths of a second.
constexpr std::size_t kMostParts = 8;

}  // namespace

Task<Result<MetricTable>> MetricSeriesStore::table(TableQuery query, Thinning thin, std::string user) {
  const auto turn = co_await reads_.wait(std::move(user));
  const std::string name = "read series of metrics";
  auto body = [&query, &thin](pg::Transaction& tx) { return read_table(tx, query, thin); };
  if (!query.is_outlined) co_return co_await pool_.read(name, std::move(body));
  // Mostly nothing is left to keep: the series say so, which saves asking for it on its own.
  auto at_once = [&query, &thin](pg::Transaction& tx) { return read_kept_table(tx, query, thin); };
  auto table = co_await pool_.read(name, std::move(at_once));
  DET_CO_TRY(table);
  if (*table) co_return std::move(**table);
  co_return co_await keeper_.read_kept<MetricTable>(
      {.name = name, .trial = query.trial, .group = query.group, .most_parts = kMostParts}, std::move(body));
}

Task<Result<ExperimentCurves>> MetricSeriesStore::curves(ExperimentCurvesQuery query, std::string user) {
  const auto turn = co_await reads_.wait(std::move(user));
  auto body = [&query](pg::Transaction& tx) { return read_experiment_curves(tx, query); };
  co_return co_await pool_.read("read curves of an experiment", std::move(body));
}

}  // namespace det::store
