#include "k8sclient/event_recorder.h"

#include <cstdio>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/cut_text.h"
#include "base/printable.h"

namespace det::k8s {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxQueued = 1000;
constexpr std::size_t kMaxRemembered = 4096;
constexpr std::size_t kMaxMessage = 1024;  // the API server's limit
constexpr std::size_t kMaxName = 200;
// As kubectl and the API server's event TTL have it: after an hour of silence a repeat is a new event.
constexpr std::chrono::minutes kRememberFor{60};

// A part of a name ends with a letter or a digit, too.
std::string beginning_of(const std::string& name) {
  std::string part = name.substr(0, kMaxName);
  while (part.ends_with('-') || part.ends_with('.')) part.pop_back();
  return part;
}

const char* text_of(EventType type) {
  switch (type) {
    case EventType::kNormal:
      return "Normal";
    case EventType::kWarning:
      return "Warning";
  }
  return "Normal";
}

std::string series_id(const EventSubject& subject, EventType type, const std::string& reason,
                      const std::string& message) {
  const char separator = '\x1f';
  return subject.resource.plural + separator + to_string(subject.key) + separator + subject.uid + separator +
         text_of(type) + separator + reason + separator + message;
}

}  // namespace

EventRecorder::EventRecorder(Client& client, Clock& clock, asio::any_io_executor executor, std::string component)
    : client_(client),
      clock_(clock),
      component_(std::move(component)),
      log_("events"),
      published_(std::move(executor)) {}

void EventRecorder::publish(EventSubject subject, EventType type, std::string reason, std::string message) {
  message = printable(message);
  if (message.size() > kMaxMessage) message = cut_text(std::move(message), kMaxMessage - 3) + "...";
  std::string id = series_id(subject, type, reason, message);
  auto known = series_.find(id);
  const bool fresh = known == series_.end() || clock_.steady_now() - known->second.touched > kRememberFor;
  const bool queued = known != series_.end() && known->second.queued;
  if (!queued && queue_.size() >= kMaxQueued) {
    if (dropped_++ == 0) log_.warn("dropped events: too many are waiting", {{"waiting", queue_.size()}});
    return;
  }
  if (fresh && !queued) {
    forget_old();
    Series series;
    series.subject = std::move(subject);
    series.type = type;
    series.reason = std::move(reason);
    series.message = std::move(message);
    series.first = clock_.wall_now();
    known = series_.insert_or_assign(id, std::move(series)).first;
  }
  Series& series = known->second;
  ++series.count;
  series.last = clock_.wall_now();
  series.touched = clock_.steady_now();
  if (series.queued) return;
  series.queued = true;
  queue_.push_back(std::move(id));
  published_.notify_all();
}

void EventRecorder::forget_old() {
  if (series_.size() < kMaxRemembered) return;
  const auto now = clock_.steady_now();
  std::erase_if(series_,
                [&](const auto& entry) { return !entry.second.queued && now - entry.second.touched > kRememberFor; });
  if (series_.size() < kMaxRemembered) return;
  std::erase_if(series_, [](const auto& entry) { return !entry.second.queued; });
}

Task<void> EventRecorder::run() {
  for (;;) {
    const auto seen = published_.version();
    if (queue_.empty()) {
      co_await published_.wait(seen, std::chrono::hours(24));
      continue;
    }
    std::string id = std::move(queue_.front());
    queue_.pop_front();
    co_await send(std::move(id));
  }
}

Task<void> EventRecorder::send(std::string id) {
  const auto found = series_.find(id);
  if (found == series_.end()) co_return;
  found->second.queued = false;
  Series series = found->second;
  Status sent;
  if (!series.name.name.empty()) sent = co_await raise_count(series);
  const bool gone = !series.name.name.empty() && !sent && sent.error().code == ErrorCode::kNotFound;
  if (series.name.name.empty() || gone) {
    char suffix[48];
    std::snprintf(suffix, sizeof suffix, ".%016llx%04llx",
                  static_cast<unsigned long long>(series.last.time_since_epoch().count()),
                  static_cast<unsigned long long>(next_name_++ % 0x10000));
    series.name = {.ns = series.subject.key.ns.empty() ? "default" : series.subject.key.ns,
                   .name = beginning_of(series.subject.key.name) + suffix};
    sent = co_await create(series);
  }
  if (!sent) {
    log_.warn("could not send an event",
              {{"object", to_string(series.subject.key)}, {"reason", series.reason}, {"error", sent.error().message}});
    co_return;
  }
  const auto now = series_.find(id);
  if (now != series_.end()) now->second.name = series.name;
}

Task<Status> EventRecorder::create(const Series& series) {
  json event = body(series);
  const std::string ns = series.name.ns;
  const WriteOptions options;
  const auto created = co_await client_.create(core_events(), ns, std::move(event), options);
  DET_CO_TRY(created);
  co_return Status();
}

Task<Status> EventRecorder::raise_count(const Series& series) {
  json patch = {{"count", series.count}, {"lastTimestamp", format_rfc3339_seconds(series.last)}};
  const ObjectKey key = series.name;
  const PatchOptions options;
  const auto patched = co_await client_.patch(core_events(), key, std::move(patch), options);
  DET_CO_TRY(patched);
  co_return Status();
}

json EventRecorder::body(const Series& series) const {
  json subject = {{"apiVersion", series.subject.resource.api_version()},
                  {"kind", series.subject.resource.kind},
                  {"name", series.subject.key.name},
                  {"uid", series.subject.uid}};
  if (!series.subject.key.ns.empty()) subject["namespace"] = series.subject.key.ns;
  return {{"apiVersion", "v1"},
          {"kind", "Event"},
          {"metadata", {{"name", series.name.name}, {"namespace", series.name.ns}}},
          {"involvedObject", std::move(subject)},
          {"type", text_of(series.type)},
          {"reason", series.reason},
          {"message", series.message},
          {"count", series.count},
          {"firstTimestamp", format_rfc3339_seconds(series.first)},
          {"lastTimestamp", format_rfc3339_seconds(series.last)},
          {"source", {{"component", component_}}},
          {"reportingComponent", component_},
          {"reportingInstance", ""}};
}

}  // namespace det::k8s
