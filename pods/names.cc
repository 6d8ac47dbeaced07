#include "pods/names.h"

#include <algorithm>
#include <cctype>

#include "base/encoding.h"

namespace det::pods {
namespace {

// Pod names end up in label values and host names: both end at 63. "-<run>-<rank>" takes up to 12 of them.
constexpr std::size_t kMaxTrialObjectName = 63 - 12;

bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

std::string trial_object_name(std::string_view experiment_object, model::TrialId trial) {
  const std::string suffix = "-" + to_string(trial);
  std::string name = std::string(experiment_object) + suffix;
  if (name.size() <= kMaxTrialObjectName) return name;
  const std::string hash = sha256_hex(experiment_object).substr(0, 8);
  std::string head(experiment_object.substr(0, kMaxTrialObjectName - suffix.size() - hash.size() - 1));
  while (!head.empty() && !is_alnum(head.back())) head.pop_back();
  return head + "-" + hash + suffix;
}

std::string pod_name(std::string_view trial_object, int run, int rank) {
  return std::string(trial_object) + "-" + std::to_string(run) + "-" + std::to_string(rank);
}

std::string allocation_secret_name(std::string_view trial_object, int run) {
  return std::string(trial_object) + "-" + std::to_string(run) + "-env";
}

std::string label_value(std::string_view text) {
  std::string value;
  for (const char c : text) value += is_alnum(c) || c == '-' || c == '_' || c == '.' ? c : '_';
  const std::size_t first =
      static_cast<std::size_t>(std::distance(value.begin(), std::find_if(value.begin(), value.end(), is_alnum)));
  value.erase(0, first);
  if (value.size() > 63) value.resize(63);
  while (!value.empty() && !is_alnum(value.back())) value.pop_back();
  return value;
}

}  // namespace det::pods
