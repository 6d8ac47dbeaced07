#include "proxy/services.h"

#include <chrono>

namespace det::proxy {
namespace {

constexpr std::chrono::seconds kFresh{10};
constexpr std::chrono::seconds kFreshNothing{1};  // it may be published any moment
constexpr std::size_t kMaxId = 256;
constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::milliseconds kLook{50};

// One of those who wait, until its end however it comes.
class CountedWait {
 public:
  explicit CountedWait(int& waiting) : waiting_(waiting) { ++waiting_; }
  ~CountedWait() { --waiting_; }
  CountedWait(const CountedWait&) = delete;
  CountedWait& operator=(const CountedWait&) = delete;

 private:
  int& waiting_;
};

}  // namespace

Task<Result<std::optional<store::ProxyService>>> Services::find(std::string id) {
  if (id.size() > kMaxId) co_return std::nullopt;
  const SteadyTime now = clock_.steady_now();
  std::optional<store::ProxyService> before;
  if (Known* known = known_.find(id)) {
    if (now - known->asked_at < (known->service ? kFresh : kFreshNothing)) co_return known->service;
    before = known->service;
    known->asked_at = now;  // one request asks, the others believe what was known
  }
  auto found = co_await store_.find(id);
  if (!found) {
    if (before) co_return before;
    co_return found;
  }
  bool is_expected = false;
  if (!*found) is_expected = (co_await store_.is_expected(id)).value_or(false);
  known_.put(id, {.service = *found, .asked_at = now, .is_expected = is_expected});
  co_return found;
}

Task<Result<std::optional<store::ProxyService>>> Services::find_soon(std::string id) {
  auto found = co_await find(id);
  if (waiting_ >= kMaxWaiting) co_return found;
  const CountedWait wait(waiting_);
  const SteadyTime end = clock_.steady_now() + kPatience;
  while (found && !*found && clock_.steady_now() < end) {
    const Known* known = known_.find(id);
    if (known == nullptr || !known->is_expected) break;
    co_await clock_.sleep_for(kLook);
    found = co_await find(id);
  }
  co_return found;
}

void Services::forget_task(const std::string& task_id) {
  known_.erase_if([&](const std::string& id, const Known&) {
    return id.starts_with(task_id) && (id.size() == task_id.size() || id[task_id.size()] == ':');
  });
}

void Services::forget_allocation(const std::string& allocation_id) {
  known_.erase_if([&](const std::string&, const Known& known) {
    return known.service && known.service->allocation_id == allocation_id;
  });
}

}  // namespace det::proxy
