#include "tests/simulation/fault_plan.h"

#include <utility>

namespace det::simulation {

FaultKind FaultPlan::next(Call call) {
  const Place place = call.place;
  const int at = ++counts_[static_cast<std::size_t>(place)];
  FaultKind kind = FaultKind::kNone;
  if (fault_.place == place && fault_.at == at) {
    kind = fault_.kind;
  } else if (one_in_ > 0 && draw_.one_in(one_in_)) {
    const auto kinds = applicable(call);
    kind = kinds[draw_.below(kinds.size())];
  }
  calls_.push_back(std::move(call));
  if (kind != FaultKind::kNone) injected_.push_back({.place = place, .at = at, .kind = kind});
  return kind;
}

}  // namespace det::simulation
