#include "api/live/live_feed.h"

#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/parse_integer.h"
#include "store/channels.h"

namespace det::api {

namespace {

void touch_experiment(LiveHub& hub, std::int64_t id) {
  hub.touch({LiveKind::kExperiments}, std::to_string(id));
  hub.touch({LiveKind::kExperiment, id});
  hub.touch({LiveKind::kQueue});
}

// "<trial>:<experiment>"
void touch_trial(LiveHub& hub, std::string_view ids, bool is_report) {
  const auto colon = ids.find(':');
  const auto trial = parse_integer(ids.substr(0, colon));
  const auto experiment = colon == std::string_view::npos ? std::nullopt : parse_integer(ids.substr(colon + 1));
  if (!trial || !experiment) return;
  if (is_report) return hub.touch_metrics({*trial}, {*experiment});
  hub.touch({LiveKind::kTrial, *trial});
  touch_experiment(hub, *experiment);
}

// As store/schema/046_live.sql and LiveHub::run write them.
void take_word(LiveHub& hub, std::string_view word) {
  const std::string_view what = word.substr(1);
  switch (word.front()) {
    case 'e':
      if (const auto id = parse_integer(what)) touch_experiment(hub, *id);
      break;
    case 't':
      touch_trial(hub, what, false);
      break;
    case 'r':
      touch_trial(hub, what, true);
      break;
    case 'k':
      hub.touch({LiveKind::kTasks}, std::string(what));
      hub.touch({LiveKind::kQueue});
      break;
    case 'm':
      hub.touch({LiveKind::kModels});
      break;
    case 'w':
      hub.touch({LiveKind::kWorkspaces});
      break;
    default:
      break;  // of a later version
  }
}

}  // namespace

void feed_live(LiveHub& hub, const std::string& channel, const std::string& payload) {
  std::istringstream words(payload);
  if (channel == store::kLiveChannel) {
    for (std::string word; words >> word;) take_word(hub, word);
  } else if (channel == store::kTaskChannel) {
    take_word(hub, "k" + payload);
  } else if (channel == store::kQueueChannel) {
    hub.touch({LiveKind::kQueue});
  } else if (channel == store::kSearcherChannel) {
    if (payload.empty()) hub.touch({LiveKind::kExperiment, kEveryNumber});
    for (std::string word; words >> word;) {
      if (const auto id = parse_integer(word)) hub.touch({LiveKind::kExperiment, *id});
    }
  } else if (channel == store::kLogChannel) {
    if (payload.empty()) hub.touch({LiveKind::kLogs, kEveryNumber});
    for (std::string word; words >> word;) {
      if (const auto number = parse_integer(word)) hub.touch({LiveKind::kLogs, *number});
    }
  } else if (channel == store::kAllocationChannel || channel == store::kAllocationEndChannel) {
    // "<task>.<run>"; the task of a trial is "<experiment>.<request id>".
    const std::string task = payload.substr(0, payload.rfind('.'));
    const auto dot = task.find('.');
    if (dot == std::string::npos) {
      take_word(hub, "k" + task);
    } else if (const auto experiment = parse_integer(std::string_view(task).substr(0, dot))) {
      touch_experiment(hub, *experiment);
    }
  }
}

}  // namespace det::api
