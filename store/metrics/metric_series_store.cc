#include "store/metrics/metric_series_store.h"

namespace det::store {

Task<Result<MetricTable>> MetricSeriesStore::table(TableQuery query, Thinning thin, std::string user) {
  const auto turn = co_await reads_.wait(std::move(user));
  auto body = [&query, &thin](pg::Transaction& tx) { return read_table(tx, query, thin); };
  co_return co_await pool_.read("read series of metrics", std::move(body));
}

Task<Result<ExperimentCurves>> MetricSeriesStore::curves(ExperimentCurvesQuery query, std::string user) {
  const auto turn = co_await reads_.wait(std::move(user));
  auto body = [&query](pg::Transaction& tx) { return read_experiment_curves(tx, query); };
  co_return co_await pool_.read("read curves of an experiment", std::move(body));
}

}  // namespace det::store
