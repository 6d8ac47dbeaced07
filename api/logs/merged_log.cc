#include "api/logs/merged_log.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace det::api {

namespace {

constexpr std::chrono::minutes kSkew{5};
// Lines of a trial are in the order in which its pods' posts came: a pod's may be so much older than those before them.
constexpr std::chrono::seconds kDisorder{3};
constexpr int kMostPages = 64;                            // that are read of a trial for it
constexpr std::size_t kPageHolds = std::size_t{4} << 20;  // bytes; long lines make short pages
constexpr std::int64_t kMostOfOneTime = 1'000'000;  // lines of a trial that are looked at for a place between them

LogPlace place_of(const MergedLine& line) {
  return {.time = line.line.line.time, .trial = line.trial, .id = line.line.id};
}

std::optional<std::int64_t> read_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

class Merge {
 public:
  Merge(MergeQuery query, ReadNewest read) : query_(std::move(query)), read_(std::move(read)) {
    query_.lines.order = store::Order::kDescending;
    if (query_.before && (!query_.lines.before || *query_.lines.before > query_.before->time)) {
      query_.lines.before = query_.before->time;
    }
  }

  Task<Result<MergedPage>> run(std::vector<MergedTrial> trials) {
    // The last to end first: those behind the first that cannot have a line in the page cannot either.
    std::ranges::sort(trials, [](const MergedTrial& a, const MergedTrial& b) {
      return a.end.value_or(WallTime::max()) != b.end.value_or(WallTime::max())
                 ? a.end.value_or(WallTime::max()) > b.end.value_or(WallTime::max())
                 : a.id > b.id;
    });
    for (const MergedTrial& trial : trials) {
      if (query_.lines.before && trial.start - kSkew > *query_.lines.before) continue;
      if (is_full() && trial.end && *trial.end + kSkew < oldest()) {
        has_more_ = true;
        break;
      }
      DET_CO_TRY(co_await take(trial));
    }
    co_return page();
  }

 private:
  // What was read of one trial.
  struct Taken {
    std::int64_t lines = 0;  // also those that are behind the place to begin at
    std::size_t held = 0;    // by those that were added
    std::optional<LogPlace> last;
    std::vector<WallTime> times;  // of those that were added
    bool is_enough = false;

    // Down to here nothing of the trial is missing.
    [[nodiscard]] LogPlace known_to() const {
      const WallTime whole = last->time + kDisorder;
      const bool has_newer = std::ranges::any_of(times, [whole](WallTime time) { return time > whole; });
      return has_newer ? LogPlace{.time = whole, .trial = {0}, .id = 0} : *last;
    }
  };

  [[nodiscard]] bool is_full() const { return std::ssize(lines_) >= query_.lines.limit || held_ >= kPageHolds; }
  [[nodiscard]] WallTime oldest() const { return lines_.back().line.line.time; }

  Task<Status> take(const MergedTrial& trial) {
    store::LogQuery query = query_.lines;
    query.task_id = trial.task_id;
    for (query.limit *= kMostPages;; query.limit *= 4) {
      Taken taken;
      const std::optional<WallTime> until = is_full() ? std::optional(oldest()) : std::nullopt;
      store::LineSink sink = [&](std::vector<store::NumberedLine> lines) -> Task<bool> {
        add(trial.id, std::move(lines), until, taken);
        co_return !taken.is_enough;
      };
      DET_CO_TRY(co_await read_(query, std::move(sink)));
      const bool is_all = !taken.is_enough && taken.lines < query.limit;
      // All that was read is of the time of `before`, and behind it: more lines have that time.
      if (!is_all && taken.held == 0 && query.limit < kMostOfOneTime) continue;
      if (!is_all && taken.last) known_to_ = std::max(known_to_.value_or(LogPlace{}), taken.known_to());
      break;
    }
    std::ranges::sort(lines_, std::greater(), place_of);
    cut_to_page();
    co_return Status();
  }

  void add(model::TrialId trial, std::vector<store::NumberedLine> lines, std::optional<WallTime> until, Taken& taken) {
    for (store::NumberedLine& line : lines) {
      MergedLine one{.trial = trial, .line = std::move(line)};
      taken.lines += 1;
      taken.last = place_of(one);
      if (query_.before && *taken.last >= *query_.before) continue;
      taken.held += held_bytes(one.line.line);
      taken.times.push_back(one.line.line.time);
      lines_.push_back(std::move(one));
      if (taken.held >= kPageHolds) break;
    }
    taken.is_enough =
        taken.held >= kPageHolds || (taken.last && taken.last->time + kDisorder < oldest_of(taken, until));
  }

  // No line that is older can be in the page: it is full without it.
  [[nodiscard]] WallTime oldest_of(Taken& taken, std::optional<WallTime> until) const {
    const WallTime others = until.value_or(WallTime::min());
    if (std::ssize(taken.times) < query_.lines.limit) return others;
    const auto last = taken.times.begin() + query_.lines.limit - 1;
    std::ranges::nth_element(taken.times, last, std::greater());
    return std::max(others, *last);
  }

  void cut_to_page() {
    held_ = 0;
    std::size_t count = 0;
    while (count < lines_.size() && std::cmp_less(count, query_.lines.limit) && held_ < kPageHolds) {
      held_ += held_bytes(lines_[count++].line.line);
    }
    if (count == lines_.size()) return;
    lines_.resize(count);
    has_more_ = true;
  }

  MergedPage page() {
    MergedPage page;
    // Older than what a trial was read to, lines of it are missing.
    if (known_to_) {
      std::erase_if(lines_, [this](const MergedLine& line) { return place_of(line) < *known_to_; });
    }
    if (has_more_ || known_to_) page.next = lines_.empty() ? known_to_ : std::optional(place_of(lines_.back()));
    page.lines = std::move(lines_);
    return page;
  }

  MergeQuery query_;
  ReadNewest read_;
  std::vector<MergedLine> lines_;
  std::size_t held_ = 0;              // by them
  std::optional<LogPlace> known_to_;  // the newest of the places that trials were read to and not further
  bool has_more_ = false;
};

}  // namespace

std::string to_text(const LogPlace& place) {
  return format_rfc3339_micros(place.time) + "," + to_string(place.trial) + "," + std::to_string(place.id);
}

std::optional<LogPlace> read_place(std::string_view text) {
  const auto first = text.find(',');
  const auto second = text.find(',', first == std::string_view::npos ? first : first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto time = parse_rfc3339(text.substr(0, first));
  const auto trial = read_number(text.substr(first + 1, second - first - 1));
  const auto id = read_number(text.substr(second + 1));
  if (!time || !trial || !id) return std::nullopt;
  return LogPlace{.time = *time, .trial = {*trial}, .id = *id};
}

Task<Result<MergedPage>> merge_newest(std::vector<MergedTrial> trials, MergeQuery query, ReadNewest read) {
  Merge merge(std::move(query), std::move(read));
  co_return co_await merge.run(std::move(trials));
}

}  // namespace det::api
