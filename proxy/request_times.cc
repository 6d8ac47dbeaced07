#include "proxy/request_times.h"

#include <utility>
#include <vector>

#include "base/log.h"

namespace det::proxy {
namespace {

constexpr std::chrono::seconds kEvery{5};
constexpr std::size_t kMaxKept = 100'000;

}  // namespace

Task<void> RequestTimes::flush() {
  if (noted_.empty()) co_return;
  const std::map<std::string, WallTime> noted = std::exchange(noted_, {});
  std::vector<std::pair<std::string, WallTime>> requests(noted.begin(), noted.end());
  const Status written = co_await store_.note_requests(std::move(requests));
  if (written) co_return;
  Logger("proxy").warn("requests of services were not noted yet", {{"error", written.error().message}});
  for (const auto& [id, at] : noted) {
    if (noted_.size() < kMaxKept) noted_.emplace(id, at);  // a later one stays
  }
}

Task<void> RequestTimes::run() {
  for (;;) {
    co_await clock_.sleep_for(kEvery);
    co_await flush();
  }
}

}  // namespace det::proxy
