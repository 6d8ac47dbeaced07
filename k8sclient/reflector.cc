#include "k8sclient/reflector.h"

#include <algorithm>
#include <utility>

#include "base/json_get.h"
#include "k8sclient/retry.h"

namespace det::k8s {
namespace {

using nlohmann::json;

// A watch that ends sooner and said nothing is a server that refuses politely: it counts as a failure.
constexpr std::chrono::seconds kShortWatch{1};
// One that broke after so long was not refused: something in between cuts connections that are quiet.
constexpr std::chrono::seconds kSettledWatch{10};
// A list that expires between two pages is begun again at once, but not for ever.
constexpr int kListTries = 2;

std::string version_of(const json& object) {
  return get_string(get_object(object, "metadata"), "resourceVersion");
}

// The position is lost (or cannot be trusted): everything must be listed again.
bool must_relist(ErrorCode code) {
  return code == ErrorCode::kOutOfRange || code == ErrorCode::kDataLoss || code == ErrorCode::kInvalidArgument;
}

}  // namespace

Reflector::Reflector(Client& client, Clock& clock, ReflectorOptions options)
    : client_(client),
      clock_(clock),
      options_(std::move(options)),
      log_(Logger("reflector").with({"resource", options_.resource.plural})) {}

Task<void> Reflector::run(ReflectorSink sink) {
  for (;;) {
    std::optional<Error> failed;
    switch (state_) {
      case State::kListing:
        failed = co_await list(sink);
        break;
      case State::kWatching:
        failed = co_await watch(sink);
        break;
    }
    if (failed) co_await back_off(std::move(*failed));
  }
}

Task<std::optional<Error>> Reflector::list(const ReflectorSink& sink) {
  ListOptions options;
  options.ns = options_.ns;
  options.label_selector = options_.label_selector;
  options.field_selector = options_.field_selector;
  Result<std::string> version;
  for (int tries = 0; tries < kListTries; ++tries) {
    sink.begin_list();
    // By page: ten thousand objects as JSON trees at once would be most of our memory.
    Client::TakePage take = [&sink](const std::vector<json>& items) { sink.take_page(items); };
    version = co_await client_.list_by_page(options_.resource, options, std::move(take));
    if (version || version.error().code != ErrorCode::kOutOfRange) break;
  }
  if (!version) co_return version.error();
  sink.end_list();
  resource_version_ = std::move(*version);
  state_ = State::kWatching;
  co_return std::nullopt;
}

Task<std::optional<Error>> Reflector::watch(const ReflectorSink& sink) {
  WatchOptions options;
  options.ns = options_.ns;
  options.label_selector = options_.label_selector;
  options.field_selector = options_.field_selector;
  options.resource_version = resource_version_;
  options.server_timeout = options_.watch_timeout;
  options.idle_timeout = options_.idle_timeout;
  const SteadyTime started = clock_.steady_now();
  std::uint64_t events = 0;
  std::function<void(WatchEvent)> on_event = [this, &sink, &events](WatchEvent event) {
    ++events;
    take(sink, event);
  };
  const auto ended = co_await client_.watch(options_.resource, std::move(options), std::move(on_event));
  const auto lasted = clock_.steady_now() - started;
  if (events > 0 || lasted >= kSettledWatch) failures_ = 0;
  if (ended) {
    if (events > 0 || lasted >= kShortWatch) {
      failures_ = 0;
      co_return std::nullopt;
    }
    co_return Error{
        .code = ErrorCode::kUnavailable, .message = "the watch ended at once", .field = {}, .retry_after = {}};
  }
  const Error& error = ended.error();
  if (!must_relist(error.code)) co_return error;
  state_ = State::kListing;
  ++relists_;
  // An expired position is the normal end of a long pause; only when it comes again at once is there a reason to wait.
  const bool first_expiry = error.code == ErrorCode::kOutOfRange && failures_ == 0;
  if (!first_expiry) co_return error;
  ++failures_;
  log_.info("listed again: the watch position expired", {{"version", resource_version_}});
  co_return std::nullopt;
}

void Reflector::take(const ReflectorSink& sink, const WatchEvent& event) {
  std::string version = version_of(event.object);
  if (!version.empty()) resource_version_ = std::move(version);
  switch (event.type) {
    case WatchEvent::Type::kAdded:
    case WatchEvent::Type::kModified:
      sink.upsert(event.object);
      break;
    case WatchEvent::Type::kDeleted:
      sink.remove(event.object);
      break;
    case WatchEvent::Type::kBookmark:
    case WatchEvent::Type::kError:  // Client::watch returns it instead
      break;
  }
}

Task<void> Reflector::back_off(Error error) {
  ++failures_;
  const auto backoff = exponential_backoff(options_.first_backoff, options_.max_backoff, failures_);
  const auto delay = std::max(backoff, error.retry_after.value_or(std::chrono::milliseconds::zero()));
  const LogFields fields{{"error", error.message}, {"failures", failures_}, {"retry_in_ms", delay.count()}};
  // A watch that broke once is resumed without loss: worth a log line only when it keeps breaking.
  if (failures_ == 1) {
    log_.debug("a watch or list broke", fields);
  } else {
    log_.warn("a watch or list keeps failing", fields);
  }
  co_await clock_.sleep_for(delay);
}

}  // namespace det::k8s
