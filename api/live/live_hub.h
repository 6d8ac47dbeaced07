#pragma once

// What changed, for pages that watch: one hub per process, fed by notifications of the database, so that every replica
// tells the same. Changes are gathered for kPace, numbered, and kept in one ring that all streams read, each at its own
// place: a reader that is slow costs nothing but its place, and one that fell out of the ring is told to look again.
// Belongs to the io thread; the clock outlives it.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/live/live_topic.h"
#include "base/async.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/turns.h"
#include "model/ids.h"

namespace det::api {

struct LiveLimits {
  std::size_t streams = 4'096;
  std::size_t streams_per_user = 512;
  std::size_t readers = 2;      // streams of records that look into the database at once
  std::size_t ring = 8'192;     // changes
  std::size_t topics = 20'000;  // of single things that are watched, or were a moment ago
  std::size_t named_ids = 100;  // more than these are not named
};

class LiveHub {
 public:
  // Between two events of one topic; and of the list of experiments where only metrics came.
  static constexpr std::chrono::milliseconds kPace{250};
  static constexpr std::chrono::seconds kSlowPace{2};
  // How long a topic is remembered that nobody watches any more: who was cut off comes back.
  static constexpr std::chrono::seconds kLinger{60};

  LiveHub(asio::any_io_executor executor, Clock& clock, LiveLimits limits = {});
  ~LiveHub();
  LiveHub(const LiveHub&) = delete;
  LiveHub& operator=(const LiveHub&) = delete;

  // Something of `topic` changed; `id` says which of a list, empty: any. kEveryNumber in `topic` means all of its kind.
  void touch(LiveTopic topic, const std::string& id = {});
  // A trial reported metrics.
  void touch_metrics(model::TrialId trial, model::ExperimentId experiment);
  // Anything may have changed: notifications were lost.
  void lose();

  // This process took a report: other processes hear of it by tell(), not each report by itself.
  void note_report(model::TrialId trial, model::ExperimentId experiment);
  // Sends texts to all processes, this one too.
  using Tell = std::function<Task<Status>(std::vector<std::string> payloads)>;
  // Gathers, numbers and tells until cancelled.
  Task<void> run(Tell tell);

  // A stream's place among the streams, and its interest in its topics, while it lives.
  class Place {
   public:
    Place(LiveHub& hub, model::UserId user, std::vector<LiveTopic> topics, std::size_t weight);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    // Sorted.
    [[nodiscard]] const std::vector<LiveTopic>& topics() const { return topics_; }
    // Whether all of them were followed since somebody watched them last.
    [[nodiscard]] bool was_followed() const { return was_followed_; }

   private:
    LiveHub& hub_;
    model::UserId user_;
    std::vector<LiveTopic> topics_;
    std::size_t weight_;
    bool was_followed_ = true;
  };
  // kResourceExhausted when there are too many streams, of this user or in all. `weight`: as how many it counts.
  [[nodiscard]] Result<std::shared_ptr<Place>> enter(model::UserId user, std::vector<LiveTopic> topics,
                                                     std::size_t weight = 1);
  // Of the streams that read from the database what changed.
  [[nodiscard]] Turns& readers() { return readers_; }

  struct Change {
    LiveTopic topic;
    std::vector<std::string> ids;  // empty: not said which
  };
  struct News {
    bool is_behind = false;       // what was missed is not known any more
    std::vector<Change> changes;  // one for each topic
    std::uint64_t last = 0;       // the number up to which this tells
  };
  // What came after number `after` of the topics (sorted).
  [[nodiscard]] News since(std::uint64_t after, const std::vector<LiveTopic>& topics) const;
  [[nodiscard]] std::uint64_t last() const { return next_ - 1; }

  // Changes with each start of the process; numbers belong to it.
  [[nodiscard]] const std::string& server() const { return server_; }
  [[nodiscard]] std::uint64_t version() const { return told_.version(); }
  Task<bool> wait(std::uint64_t seen, std::chrono::nanoseconds timeout) { return told_.wait(seen, timeout); }

  // Numbers what was gathered and is due. For tests; run() does it.
  void flush();

 private:
  struct Gathered {
    std::set<std::string> ids;
    bool is_any = false;
    SteadyTime due;
  };
  struct Interest {
    std::size_t streams = 0;
    SteadyTime left_at;
  };
  void gather(LiveTopic topic, const std::string& id, SteadyTime due);
  void sweep(SteadyTime now);
  [[nodiscard]] std::vector<std::string> reports();

  Clock& clock_;
  LiveLimits limits_;
  Turns readers_;
  std::string server_;
  std::map<LiveTopic, Gathered> gathered_;
  std::set<std::pair<std::int64_t, std::int64_t>> reported_;  // trial, experiment
  std::deque<Change> ring_;
  std::uint64_t first_ = 1;  // the number of the ring's front
  std::uint64_t next_ = 1;
  std::map<LiveTopic, Interest> interests_;
  std::map<std::int64_t, std::size_t> streams_;  // by user
  std::size_t all_streams_ = 0;
  SteadyTime slow_at_;  // when the list of experiments was last told of for metrics
  SteadyTime swept_at_;
  Signal told_;
  Signal wake_;
};

}  // namespace det::api
