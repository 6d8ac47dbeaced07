#include "operator/gang/run_rows.h"

#include <utility>

#include "pods/names.h"
#include "pods/pod_builder.h"

namespace det::op {
namespace {

store::ExitKind exit_kind(Counts counts) {
  switch (counts) {
    case Counts::kNothing:
      return store::ExitKind::kNone;
    case Counts::kRestart:
      return store::ExitKind::kRestart;
    case Counts::kInfraRestart:
      return store::ExitKind::kInfraRestart;
  }
  return store::ExitKind::kNone;
}

}  // namespace

std::vector<store::ResourceRow> resource_rows(const RunShape& shape, const std::vector<PodFacts>& pods) {
  std::vector<store::ResourceRow> rows;
  for (int rank = 0; rank < shape.pods; ++rank) {
    store::ResourceRow row;
    row.rank = rank;
    row.resources_id = pods::resources_id(shape.allocation_id, rank);
    row.pod_name = pods::pod_name(shape.base_name, shape.run, rank);
    row.slots = shape.slots_per_pod;
    for (const PodFacts& pod : pods) {
      if (pod.rank != rank) continue;
      row.node = pod.node;
      row.ip = pod.ip;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

store::TrialExit exit_of(int run, const RunDecision& decision, const GangState& gang) {
  store::TrialExit exit;
  exit.run = run;
  exit.kind = exit_kind(decision.counts);
  exit.reason = decision.reason;
  if (gang.exit) exit.exit_code = gang.exit->code;
  return exit;
}

}  // namespace det::op
