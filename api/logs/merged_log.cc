#include "api/logs/merged_log.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace det::api {

namespace {

constexpr std::chrono::minutes kSkew{5};
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
  [[nodiscard]] bool is_full() const { return std::ssize(lines_) >= query_.lines.limit; }
  [[nodiscard]] WallTime oldest() const { return lines_.back().line.line.time; }

  Task<Status> take(const MergedTrial& trial) {
    store::LogQuery query = query_.lines;
    query.task_id = trial.task_id;
    for (;; query.limit *= 4) {
      const std::optional<WallTime> until = is_full() ? std::optional(oldest()) : std::nullopt;
      auto found = co_await read_(query, until);
      DET_CO_TRY(found);
      const bool is_all =
          std::ssize(*found) < query.limit && !(until && !found->empty() && found->back().line.time < *until);
      const std::optional<LogPlace> last =
          found->empty() ? std::nullopt : std::optional(LogPlace{found->back().line.time, trial.id, found->back().id});
      std::size_t added = 0;
      for (auto& line : *found) {
        MergedLine one{.trial = trial.id, .line = std::move(line)};
        if (query_.before && place_of(one) >= *query_.before) continue;
        lines_.push_back(std::move(one));
        added += 1;
      }
      // All that was read is of the time of `before`, and behind it: more lines have that time.
      if (!is_all && added == 0 && query.limit < kMostOfOneTime) continue;
      if (!is_all && last && (!known_to_ || *last > *known_to_)) known_to_ = last;
      break;
    }
    std::ranges::sort(lines_, std::greater(), place_of);
    if (is_full() && std::ssize(lines_) > query_.lines.limit) {
      lines_.resize(static_cast<std::size_t>(query_.lines.limit));
      has_more_ = true;
    }
    co_return Status();
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
