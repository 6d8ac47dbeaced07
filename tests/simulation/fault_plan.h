#pragma once

// Counts the operator's external calls and says which of them goes wrong, and how: one that was named, or some that
// chance chooses.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/simulation/draw.h"
#include "tests/simulation/faults.h"

namespace det::simulation {

class FaultPlan {
 public:
  // `one_in`: besides `fault`, every so many calls one drawn from `draw`; 0: none. `draw` outlives it.
  FaultPlan(Fault fault, std::size_t one_in, Draw& draw) : fault_(fault), one_in_(one_in), draw_(draw) {}

  // Notes the call and returns what befalls it.
  FaultKind next(Call call);
  // What the last call was, where that shows only when it is made.
  void name_last(const std::string& what) { calls_.back().what = what; }
  // From now on nothing goes wrong by chance: what was begun is to end.
  void rest() { one_in_ = 0; }

  [[nodiscard]] const std::vector<Call>& calls() const { return calls_; }
  // Faults that really were.
  [[nodiscard]] const std::vector<Fault>& injected() const { return injected_; }

 private:
  Fault fault_;
  std::size_t one_in_;
  Draw& draw_;
  std::array<int, 2> counts_{};
  std::vector<Call> calls_;
  std::vector<Fault> injected_;
};

}  // namespace det::simulation
