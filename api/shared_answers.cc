#include "api/shared_answers.h"

#include <algorithm>
#include <utility>

namespace det::api {

namespace {

constexpr std::size_t kManyKeys = 64;

}  // namespace

// Whoever waits, also when it goes away before it has the answer.
class SharedAnswers::Caller {
 public:
  explicit Caller(std::shared_ptr<Entry> entry) : entry_(std::move(entry)) { ++entry_->callers; }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller() {
    if (--entry_->callers == 0) entry_->answer.reset();  // who comes now is not given it
  }

 private:
  std::shared_ptr<Entry> entry_;
};

// Others read in its place when the one who reads goes away.
class SharedAnswers::Reading {
 public:
  Reading(std::shared_ptr<Entry> entry, SteadyTime now) : entry_(std::move(entry)), began_(now) {
    ++entry_->readings;
    number_ = ++entry_->begun;
    entry_->begun_at = now;
    is_shared_ = entry_->callers > 1;
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() {
    --entry_->readings;
    entry_->changed.notify_all();
  }
  void end(Answer answer, SteadyTime now) {
    if (number_ < entry_->ended) return;  // of one that began later there is an answer
    entry_->answer = std::move(answer);
    entry_->ended = number_;
    if (is_shared_) entry_->next_at = now + std::min<SteadyTime::duration>((now - began_) * kPauses, kLongestPause);
  }

 private:
  std::shared_ptr<Entry> entry_;
  std::uint64_t number_ = 0;
  SteadyTime began_;
  bool is_shared_ = false;
};

Task<SharedAnswers::Answer> SharedAnswers::get(std::string key, Read read) {
  if (entries_.size() > kManyKeys) forget();
  std::shared_ptr<Entry>& known = entries_[std::move(key)];
  if (!known) known = std::make_shared<Entry>(executor_);
  const std::shared_ptr<Entry> entry = known;
  const Caller caller(entry);
  const std::uint64_t wanted = entry->begun + 1;
  for (;;) {
    if (entry->ended >= wanted) co_return *entry->answer;
    const SteadyTime now = clock_.steady_now();
    const SteadyTime patient_until = entry->begun_at + patience_;
    if (entry->readings > 0 && now < patient_until) {
      co_await entry->changed.wait(entry->changed.version(), patient_until - now);
    } else if (now < entry->next_at) {
      co_await clock_.sleep_for(entry->next_at - now);
    } else {
      co_return co_await lead(entry, std::move(read));
    }
  }
}

Task<SharedAnswers::Answer> SharedAnswers::lead(std::shared_ptr<Entry> entry, Read read) {
  Reading reading(std::move(entry), clock_.steady_now());
  auto text = co_await read();
  Answer answer = text ? Answer(std::make_shared<const std::string>(std::move(*text))) : std::unexpected(text.error());
  reading.end(answer, clock_.steady_now());
  co_return answer;
}

void SharedAnswers::forget() {
  const SteadyTime now = clock_.steady_now();
  std::erase_if(entries_,
                [now](const auto& known) { return known.second->callers == 0 && known.second->next_at <= now; });
}

}  // namespace det::api
