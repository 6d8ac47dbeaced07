#include "model/checkpoints/gc_plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "base/json_get.h"

namespace det::model {
namespace {

using Ranked = std::vector<const GcCheckpoint*>;

constexpr std::size_t kLongestGlob = 4'096;

bool has_files(const GcCheckpoint& one) {
  return one.state == CheckpointState::kCompleted || one.state == CheckpointState::kPartiallyDeleted;
}

// Less is better; not a number comes last.
auto place_of(const GcCheckpoint& one, bool smaller_is_better) {
  const double metric = smaller_is_better ? *one.metric : -*one.metric;
  const bool is_nan = std::isnan(metric);
  return std::tuple(is_nan, is_nan ? 0.0 : metric, one.report_time, std::string_view(one.uuid));
}

void keep_best(Ranked& ranked, std::int64_t count, bool smaller_is_better, std::unordered_set<std::string>& kept) {
  std::ranges::sort(ranked, {},
                    [smaller_is_better](const GcCheckpoint* one) { return place_of(*one, smaller_is_better); });
  for (const GcCheckpoint* one : ranked) {
    if (count-- <= 0) return;
    kept.insert(one->uuid);
  }
}

void keep_latest(Ranked& ranked, std::int64_t count, std::unordered_set<std::string>& kept) {
  if (count <= 0) return;
  std::ranges::sort(ranked, std::ranges::greater(), &GcCheckpoint::steps);
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const bool is_counted = i < static_cast<std::size_t>(count);
    if (!is_counted && ranked[i]->steps != ranked[static_cast<std::size_t>(count) - 1]->steps) return;
    kept.insert(ranked[i]->uuid);
  }
}

}  // namespace

GcPolicy gc_policy_of(const nlohmann::json& config, const nlohmann::json& live) {
  const nlohmann::json& storage = get_object(config, "checkpoint_storage");
  GcPolicy policy;
  const auto take = [&](const char* name, std::int64_t& field) {
    for (const nlohmann::json* layer : {&storage, &live}) {
      const nlohmann::json& value = get_any(*layer, name);
      if (value.is_number_integer()) field = value.get<std::int64_t>();
    }
  };
  take("save_experiment_best", policy.save_experiment_best);
  take("save_trial_best", policy.save_trial_best);
  take("save_trial_latest", policy.save_trial_latest);
  return policy;
}

std::vector<std::string> plan_gc(const std::vector<GcCheckpoint>& all, bool smaller_is_better, const GcPolicy& policy,
                                 const std::set<std::string>& protected_uuids) {
  Ranked measured;
  std::map<std::int64_t, Ranked> measured_of_trial;
  std::map<std::int64_t, Ranked> of_trial;
  for (const GcCheckpoint& one : all) {
    if (!has_files(one)) continue;
    of_trial[one.trial.value].push_back(&one);
    if (!one.metric) continue;
    measured.push_back(&one);
    measured_of_trial[one.trial.value].push_back(&one);
  }
  std::unordered_set<std::string> kept(protected_uuids.begin(), protected_uuids.end());
  keep_best(measured, policy.save_experiment_best, smaller_is_better, kept);
  for (auto& [trial, ranked] : measured_of_trial) keep_best(ranked, policy.save_trial_best, smaller_is_better, kept);
  for (auto& [trial, ranked] : of_trial) keep_latest(ranked, policy.save_trial_latest, kept);
  std::vector<std::string> gone;
  for (const GcCheckpoint& one : all) {
    if (one.state != CheckpointState::kDeleted && !kept.contains(one.uuid)) gone.push_back(one.uuid);
  }
  return gone;
}

Status check_removal_glob(const std::string& glob) {
  if (glob.empty()) return fail(ErrorCode::kInvalidArgument, "cannot have empty string glob");
  if (glob.size() > kLongestGlob) {
    return fail(ErrorCode::kInvalidArgument, "a glob has " + std::to_string(glob.size()) + " bytes; up to " +
                                                 std::to_string(kLongestGlob) + " work");
  }
  if (glob.find("..") != std::string::npos) {
    return fail(ErrorCode::kInvalidArgument, "glob '" + glob + "' cannot contain '..'");
  }
  // Joined to the checkpoint's folder, an absolute path would replace it.
  if (glob.front() == '/') {
    return fail(ErrorCode::kInvalidArgument,
                "glob '" + glob + "' cannot start with '/': it is relative to the checkpoint's folder");
  }
  if (glob.find('\0') != std::string::npos) return fail(ErrorCode::kInvalidArgument, "a glob cannot contain NUL");
  return {};
}

}  // namespace det::model
