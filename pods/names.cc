#include "pods/names.h"

#include <algorithm>
#include <cctype>

#include "base/encoding.h"

namespace det::pods {
namespace {

// Pod names end up in label values and host names: both end at 63. "-<run>-<rank>" takes up to 12 of them.
constexpr std::size_t kMaxBaseName = 63 - 12;

bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

std::string shortened(std::string_view object, const std::string& suffix) {
  std::string name = std::string(object) + suffix;
  if (name.size() <= kMaxBaseName) return name;
  const std::string hash = sha256_hex(object).substr(0, 8);
  std::string head(object.substr(0, kMaxBaseName - suffix.size() - hash.size() - 1));
  while (!head.empty() && !is_alnum(head.back())) head.pop_back();
  return head + "-" + hash + suffix;
}

}  // namespace

std::string trial_object_name(std::string_view experiment_object, model::TrialId trial) {
  return shortened(experiment_object, "-" + to_string(trial));
}

std::string task_base_name(std::string_view task_object) {
  return shortened(task_object, "-t");
}

std::string pod_name(std::string_view base, int run, int rank) {
  return std::string(base) + "-" + std::to_string(run) + "-" + std::to_string(rank);
}

std::string allocation_secret_name(std::string_view base, int run) {
  return std::string(base) + "-" + std::to_string(run) + "-env";
}

std::string files_secret_name(std::string_view base, int run) {
  return std::string(base) + "-" + std::to_string(run) + "-files";
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
