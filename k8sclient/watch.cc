// Client::watch: one streaming request, cut into lines, each line an event.

#include <optional>
#include <utility>

#include "base/json_get.h"
#include "k8sclient/api_error.h"
#include "k8sclient/client.h"
#include "k8sclient/line_splitter.h"
#include "k8sclient/object_reader.h"

namespace det::k8s {
namespace {

using nlohmann::json;

// etcd holds objects up to 1.5 MiB; their JSON with managed fields stays far below this.
constexpr std::size_t kMaxLine = 16U << 20U;

std::optional<WatchEvent::Type> type_of(const std::string& text) {
  if (text == "ADDED") return WatchEvent::Type::kAdded;
  if (text == "MODIFIED") return WatchEvent::Type::kModified;
  if (text == "DELETED") return WatchEvent::Type::kDeleted;
  if (text == "BOOKMARK") return WatchEvent::Type::kBookmark;
  if (text == "ERROR") return WatchEvent::Type::kError;
  return std::nullopt;
}

// Reads the stream; keeps the error that ended it.
class WatchReader {
 public:
  explicit WatchReader(std::function<void(WatchEvent)> on_event) : on_event_(std::move(on_event)) {}

  bool feed(std::string_view bytes) {
    const auto end = lines_.feed(bytes, [this](std::string_view line) { return read_line(line); });
    if (end == LineSplitter::End::kTooLong) {
      error_ = {.code = ErrorCode::kDataLoss,
                .message = "a line is longer than " + std::to_string(kMaxLine) + " bytes",
                .field = {},
                .retry_after = {}};
    }
    return end == LineSplitter::End::kMore;
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  bool read_line(std::string_view line) {
    json parsed = objects_.read(line).value_or(json());
    const auto type = type_of(get_string(parsed, "type"));
    const auto object = parsed.is_object() ? parsed.find("object") : parsed.end();
    if (!type || object == parsed.end() || !object->is_object()) {
      error_ = {.code = ErrorCode::kDataLoss, .message = "a line is not an event", .field = {}, .retry_after = {}};
      return false;
    }
    if (*type == WatchEvent::Type::kError) {
      error_ = error_of_status(*object);
      return false;
    }
    on_event_({.type = *type, .object = std::move(*object)});
    return true;
  }

  std::function<void(WatchEvent)> on_event_;
  LineSplitter lines_{kMaxLine};
  ObjectReader objects_{ManagedFields::kDrop};
  std::optional<Error> error_;
};

}  // namespace

Task<Status> Client::watch(Resource resource, WatchOptions options, std::function<void(WatchEvent)> on_event) {
  RequestPath path(resource.collection_path(options.ns));
  path.with("watch", "1")
      .with("allowWatchBookmarks", "true")
      .with("resourceVersion", options.resource_version)
      .with("labelSelector", options.label_selector)
      .with("fieldSelector", options.field_selector)
      .with("timeoutSeconds", std::to_string(options.server_timeout.count()));
  if (options.send_initial_events) path.with("sendInitialEvents", "true").with("resourceVersionMatch", "NotOlderThan");
  auto stream = request("GET", path.text());
  stream.timeout = std::chrono::milliseconds::zero();
  stream.idle_timeout = options.idle_timeout;

  const std::string what = "watch " + resource.plural + (options.ns.empty() ? "" : " " + options.ns);
  WatchReader reader(std::move(on_event));
  BodySink sink = [&reader](std::string_view bytes) { return reader.feed(bytes); };
  const auto response = co_await watches_.stream(std::move(stream), std::move(sink));
  if (reader.error()) co_return std::unexpected(with_context(*reader.error(), what));
  if (!response) co_return std::unexpected(with_context(response.error(), what));
  const bool accepted = response->status >= 200 && response->status < 300;
  if (!accepted) co_return std::unexpected(with_context(error_of_response(*response), what));
  co_return Status();
}

}  // namespace det::k8s
