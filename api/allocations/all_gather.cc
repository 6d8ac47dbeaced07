#include "api/allocations/all_gather.h"

#include <chrono>

namespace det::api {

namespace {
// A client that has gone is not noticed here: the next one asks again.
constexpr std::chrono::minutes kPatience{10};
constexpr std::size_t kMostBytes = std::size_t{8} << 20;  // of one allocation, repeated attempts included
}  // namespace

// Somebody who waits in a meeting, also when the wait is cancelled. What was brought to one that the last has left is
// for nobody, and whoever comes later begins anew.
class AllGather::Attendance {
 public:
  Attendance(AllGather& all, std::string allocation_id, std::shared_ptr<Meeting> meeting)
      : all_(all), allocation_id_(std::move(allocation_id)), meeting_(std::move(meeting)) {
    ++meeting_->waiting;
  }
  ~Attendance() {
    if (--meeting_->waiting > 0) return;
    const auto found = all_.meetings_.find(allocation_id_);
    if (found != all_.meetings_.end() && found->second == meeting_) all_.meetings_.erase(found);
  }
  Attendance(const Attendance&) = delete;
  Attendance& operator=(const Attendance&) = delete;

 private:
  AllGather& all_;
  std::string allocation_id_;
  std::shared_ptr<Meeting> meeting_;
};

Task<Result<std::vector<wire::Json>>> AllGather::join(std::string allocation_id, std::string peer_id, int num_peers,
                                                      wire::Json data) {
  if (num_peers < 1) co_return fail(ErrorCode::kInvalidArgument, "numPeers: expected 1 or more", "numPeers");
  auto& entry = meetings_[allocation_id];
  if (entry == nullptr) entry = std::make_shared<Meeting>(executor_, num_peers);
  const std::shared_ptr<Meeting> meeting = entry;
  const Attendance attendance(*this, allocation_id, meeting);
  if (meeting->size != num_peers) {
    co_return fail(ErrorCode::kAborted,
                   "numPeers: another peer of this allocation said " + std::to_string(meeting->size));
  }
  const std::size_t size = data.dump(-1, ' ', false, wire::Json::error_handler_t::replace).size() + peer_id.size();
  if (meeting->bytes + size > kMostBytes) {
    co_return fail(ErrorCode::kResourceExhausted, "the peers of this allocation bring too much data");
  }
  meeting->bytes += size;
  meeting->data.insert_or_assign(std::move(peer_id), std::move(data));
  if (std::ssize(meeting->data) >= meeting->size) {
    meetings_.erase(allocation_id);
    meeting->arrived.notify_all();
  }
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (std::ssize(meeting->data) < meeting->size) {
    const auto seen = meeting->arrived.version();
    if (!co_await meeting->arrived.wait(seen, deadline - std::chrono::steady_clock::now())) {
      co_return fail(ErrorCode::kDeadlineExceeded, "the other peers did not come");
    }
  }
  std::vector<wire::Json> all;
  for (const auto& [id, brought] : meeting->data) all.push_back(brought);
  co_return all;
}

}  // namespace det::api
