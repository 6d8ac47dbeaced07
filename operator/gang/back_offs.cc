#include "operator/gang/back_offs.h"

#include <algorithm>

namespace det::op {
namespace {

constexpr std::chrono::seconds kFirst{10};
constexpr std::chrono::seconds kLongest{300};
constexpr std::chrono::minutes kForgetAfter{30};

}  // namespace

BackOff& BackOffs::add(const std::string& owner, const std::string& why, SteadyTime now) {
  BackOff& state = all_[owner];
  state.until = now + std::min<std::chrono::seconds>(kFirst * (1 << std::min(state.times, 5)), kLongest);
  state.why = why;
  ++state.times;
  return state;
}

void BackOffs::add_refused(const std::string& owner, const std::string& why, std::vector<std::string> nodes,
                           SteadyTime now) {
  std::vector<std::string>& known = add(owner, why, now).refused_by;
  const auto is_known = [&](const std::string& node) { return std::ranges::find(known, node) != known.end(); };
  if (std::ranges::any_of(nodes, is_known)) known.clear();  // it has been everywhere: another round
  known.insert(known.end(), nodes.begin(), nodes.end());
}

const BackOff* BackOffs::find(const std::string& owner) const {
  const auto found = all_.find(owner);
  return found == all_.end() ? nullptr : &found->second;
}

void BackOffs::forget_old(SteadyTime now) {
  std::erase_if(all_, [now](const auto& entry) { return entry.second.until + kForgetAfter < now; });
}

}  // namespace det::op
