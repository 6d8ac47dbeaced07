// What clients of GET /stream send. What is refused names a reason; ids that are known and those that are there never
// meet in what is said to be gone.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "api/live/subscription.h"

namespace {

using namespace det;

void insist(bool claim) {
  if (!claim) std::abort();
}

void compare(const api::KeySet& known) {
  const auto again = api::read_key_set(api::key_set_text(known));
  insist(again && *again == known);
  std::vector<std::int64_t> there;
  for (const api::KeyRange& range : known) {
    insist(range.first > 0 && range.first <= range.last);
    if (there.size() < 100) there.push_back(range.first + (range.last - range.first) / 2);
  }
  const api::KeySet gone = api::keys_gone(known, there);
  insist(gone.size() <= known.size() + there.size());
  for (const api::KeyRange& range : gone) {
    const auto at = std::ranges::lower_bound(there, range.first);
    insist(at == there.end() || *at > range.last);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto set = api::read_key_set(text)) compare(*set);
  const auto message = api::read_startup_message(text);
  insist(message || !message.error().message.empty());
  if (!message) return 0;
  for (const auto& subscription : message->of) {
    if (subscription) compare(subscription->known);
  }
  return 0;
}
