#include "api/live/live_hub.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/encoding.h"
#include "base/log.h"

namespace det::api {

namespace {

constexpr std::chrono::minutes kNothingToDo{10};
constexpr std::chrono::seconds kBetweenSweeps{10};
constexpr std::chrono::seconds kBetweenCrowdedSweeps{1};
// PostgreSQL takes payloads of less than 8,000 bytes.
constexpr std::size_t kLongestPayload = 7'900;

bool is_list(LiveKind kind) {
  return kind < LiveKind::kExperiment;
}

}  // namespace

LiveHub::LiveHub(asio::any_io_executor executor, Clock& clock, LiveLimits limits)
    : clock_(clock),
      limits_(limits),
      readers_(limits.readers),
      server_(uuid_v4().substr(0, 8)),
      told_(executor),
      wake_(std::move(executor)) {}

LiveHub::~LiveHub() = default;

void LiveHub::touch(LiveTopic topic, const std::string& id) {
  gather(topic, id, clock_.steady_now());
}

void LiveHub::touch_metrics(model::TrialId trial, model::ExperimentId experiment) {
  const SteadyTime now = clock_.steady_now();
  gather({LiveKind::kTrial, trial.value}, {}, now);
  gather({LiveKind::kExperiment, experiment.value}, {}, now);
  gather({LiveKind::kExperiments}, to_string(experiment), std::max(now, slow_at_ + kSlowPace));
}

void LiveHub::gather(LiveTopic topic, const std::string& id, SteadyTime due) {
  // Of single things only those that somebody watches.
  if (!is_list(topic.kind) && topic.number != kEveryNumber && !interests_.contains(topic)) return;
  const auto [at, is_new] = gathered_.try_emplace(topic);
  Gathered& gathered = at->second;
  gathered.due = is_new ? due : std::min(gathered.due, due);
  if (id.empty() || gathered.is_any || gathered.ids.size() > limits_.named_ids) {
    gathered.is_any = true;
    gathered.ids.clear();
  } else {
    gathered.ids.insert(id);
  }
  wake_.notify_all();
}

void LiveHub::lose() {
  gathered_.clear();
  ring_.clear();
  first_ = ++next_;
  told_.notify_all();
}

void LiveHub::note_report(model::TrialId trial, model::ExperimentId experiment) {
  reported_.emplace(trial.value, experiment.value);
  wake_.notify_all();
}

std::vector<std::string> LiveHub::reports() {
  std::vector<std::string> payloads;
  for (const auto& [trial, experiment] : std::exchange(reported_, {})) {
    const std::string word = "r" + std::to_string(trial) + ":" + std::to_string(experiment);
    if (payloads.empty() || payloads.back().size() + word.size() + 1 > kLongestPayload) payloads.emplace_back();
    std::string& payload = payloads.back();
    payload += (payload.empty() ? "" : " ") + word;
  }
  return payloads;
}

Task<void> LiveHub::run(Tell tell) {
  const Logger log("api.live");
  for (;;) {
    const auto seen = wake_.version();
    if (gathered_.empty() && reported_.empty()) co_await wake_.wait(seen, kNothingToDo);
    flush();
    if (auto payloads = reports(); !payloads.empty()) {
      const Status told = co_await tell(std::move(payloads));
      // Whoever watches looks again once the database is back.
      if (!told) log.debug("other replicas were not told of reports", {{"error", told.error().message}});
    }
    co_await clock_.sleep_for(kPace);
  }
}

void LiveHub::flush() {
  const SteadyTime now = clock_.steady_now();
  const std::uint64_t before = next_;
  for (auto at = gathered_.begin(); at != gathered_.end();) {
    if (at->second.due > now) {
      ++at;
      continue;
    }
    if (at->first.kind == LiveKind::kExperiments) slow_at_ = now;
    Change change{.topic = at->first, .ids = {}};
    if (!at->second.is_any) change.ids.assign(at->second.ids.begin(), at->second.ids.end());
    if (change.ids.size() > limits_.named_ids) change.ids.clear();
    ring_.push_back(std::move(change));
    ++next_;
    at = gathered_.erase(at);
  }
  while (ring_.size() > limits_.ring) {
    ring_.pop_front();
    ++first_;
  }
  const bool is_crowded = interests_.size() > limits_.topics;
  if (now - swept_at_ > (is_crowded ? kBetweenCrowdedSweeps : kBetweenSweeps)) sweep(now);
  if (next_ != before) told_.notify_all();
}

void LiveHub::sweep(SteadyTime now) {
  swept_at_ = now;
  const bool is_crowded = interests_.size() > limits_.topics;
  std::erase_if(interests_, [&](const auto& entry) {
    return entry.second.streams == 0 && (is_crowded || now - entry.second.left_at > kLinger);
  });
}

LiveHub::News LiveHub::since(std::uint64_t after, const std::vector<LiveTopic>& topics) const {
  News news{.is_behind = after + 1 < first_ || after > last(), .changes = {}, .last = last()};
  if (news.is_behind) return news;
  std::map<LiveTopic, std::set<std::string>> found;
  std::set<LiveTopic> any;
  const auto note = [&](LiveTopic topic, const Change& change) {
    found[topic].insert(change.ids.begin(), change.ids.end());
    if (change.ids.empty() || found[topic].size() > limits_.named_ids) any.insert(topic);
  };
  for (std::size_t at = static_cast<std::size_t>(after + 1 - first_); at < ring_.size(); ++at) {
    const Change& change = ring_[at];
    if (change.topic.number != kEveryNumber) {
      if (std::ranges::binary_search(topics, change.topic)) note(change.topic, change);
      continue;
    }
    for (const LiveTopic& topic : topics) {
      if (topic.kind == change.topic.kind) note(topic, change);
    }
  }
  for (auto& [topic, ids] : found) {
    Change change{.topic = topic, .ids = {}};
    if (!any.contains(topic)) change.ids.assign(ids.begin(), ids.end());
    news.changes.push_back(std::move(change));
  }
  return news;
}

Result<std::shared_ptr<LiveHub::Place>> LiveHub::enter(model::UserId user, std::vector<LiveTopic> topics,
                                                       std::size_t weight) {
  const auto own = streams_.find(user.value);
  const bool is_greedy = own != streams_.end() && own->second + weight > limits_.streams_per_user;
  if (is_greedy || all_streams_ + weight > limits_.streams) {
    Error error{.code = ErrorCode::kResourceExhausted,
                .message = is_greedy
                               ? "you have " + std::to_string(own->second) +
                                     " live streams open already: close pages that are not looked at"
                               : std::to_string(all_streams_) + " live streams are open already: try again later"};
    error.retry_after = std::chrono::seconds(10);
    return std::unexpected(std::move(error));
  }
  return std::make_shared<Place>(*this, user, std::move(topics), weight);
}

LiveHub::Place::Place(LiveHub& hub, model::UserId user, std::vector<LiveTopic> topics, std::size_t weight)
    : hub_(hub), user_(user), topics_(std::move(topics)), weight_(weight) {
  std::ranges::sort(topics_);
  topics_.erase(std::unique(topics_.begin(), topics_.end()), topics_.end());
  hub_.all_streams_ += weight_;
  hub_.streams_[user_.value] += weight_;
  for (const LiveTopic& topic : topics_) {
    if (is_list(topic.kind)) continue;
    const auto [at, is_new] = hub_.interests_.try_emplace(topic);
    ++at->second.streams;
    if (!is_new) continue;
    was_followed_ = false;
    // What changed while nobody watched has no number. Who saw it last before that, and comes back once it is watched
    // again, finds this one.
    hub_.ring_.push_back({.topic = topic, .ids = {}});
    ++hub_.next_;
    hub_.wake_.notify_all();  // flush() keeps the ring short
  }
}

LiveHub::Place::~Place() {
  hub_.all_streams_ -= weight_;
  if (const auto at = hub_.streams_.find(user_.value); (at->second -= weight_) == 0) hub_.streams_.erase(at);
  const SteadyTime now = hub_.clock_.steady_now();
  for (const LiveTopic& topic : topics_) {
    if (is_list(topic.kind)) continue;
    Interest& interest = hub_.interests_.at(topic);
    --interest.streams;
    interest.left_at = now;
  }
}

}  // namespace det::api
