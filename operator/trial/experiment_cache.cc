#include "operator/trial/experiment_cache.h"

namespace det::op {

Task<Result<ExperimentCache::Frozen>> ExperimentCache::frozen(model::ExperimentId id, std::string uid) {
  const Frozen* found = frozen_.find(id);
  if (found != nullptr && (*found)->stored.row.uid == uid) co_return *found;
  auto stored = co_await services_.stores.experiments.find_named(id);
  DET_CO_TRY(stored);
  if (!*stored) co_return fail(ErrorCode::kNotFound, "experiment '" + to_string(id) + "' not found");
  auto config = model::read_experiment_config((*stored)->row.config);
  DET_CO_TRY(config);
  auto fresh = std::make_shared<const FrozenExperiment>(std::move(**stored), std::move(*config));
  frozen_.put(id, fresh);
  co_return fresh;
}

std::shared_ptr<const ObservedExperiment> ExperimentCache::owner_of(const ObservedTrial& trial) {
  const KeptExperiment* kept = services_.informers.experiments.find({.ns = trial.key.ns, .name = trial.owner_name});
  if (kept == nullptr || kept->head.uid != trial.owner_uid) return nullptr;
  const bool is_last = last_owner_ != nullptr && last_owner_->uid == kept->head.uid &&
                       last_owner_->resource_version == kept->head.resource_version;
  if (!is_last) last_owner_ = std::make_shared<const ObservedExperiment>(kept->unpack());
  return last_owner_;
}

}  // namespace det::op
