#pragma once

// What an HTTP handler sees and gives back. Values; a Request lives until its handler and its stream have ended.
// Belongs to the io thread, except that Body::view() may be read by a pool while the Request lives.

#include <any>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/task.h"
#include "http/spool_file.h"

namespace det::http {

// Header fields in the order they came. Names are compared without case.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string, std::string>> fields) : fields_(fields) {}

  void add(std::string name, std::string value) { fields_.emplace_back(std::move(name), std::move(value)); }
  // The first value of `name`, or nothing.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

// Decoded names and values: query parameters (a key may repeat) and the {names} of a route's pattern.
class Params {
 public:
  void add(std::string name, std::string value) { fields_.emplace_back(std::move(name), std::move(value)); }
  [[nodiscard]] bool has(std::string_view name) const { return find(name).has_value(); }
  // The first value, or nothing.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  // The first value, or an empty text.
  [[nodiscard]] std::string_view get(std::string_view name) const { return find(name).value_or(std::string_view()); }
  [[nodiscard]] std::vector<std::string> all(std::string_view name) const;
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }
  [[nodiscard]] bool empty() const { return fields_.empty(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

// A request's body: in memory, or in an unlinked file mapped into memory when it is larger than ServerOptions says.
class Body {
 public:
  Body() = default;
  explicit Body(std::string text) : text_(std::move(text)) {}
  explicit Body(std::shared_ptr<const SpoolFile> file) : file_(std::move(file)) {}

  [[nodiscard]] std::string_view view() const { return file_ ? file_->view() : std::string_view(text_); }
  [[nodiscard]] bool is_spooled() const { return file_ != nullptr; }

 private:
  std::string text_;
  std::shared_ptr<const SpoolFile> file_;
};

struct Request {
  std::string method;
  std::string target;  // as sent: "/a%20b?x=1"
  std::string path;    // decoded: "/a b", one trailing slash removed
  Params params;       // what the {names} of the route's pattern matched
  Params query;
  Headers headers;
  Body body;
  bool announces_body = false;  // in its head; what came may be empty all the same, and late
  std::string peer;             // "127.0.0.1:40000"
  bool is_tls = false;
  std::any admitted;    // what the route's admission found out, for its handler
  std::string account;  // whom the admission counts the request for; empty: a stranger
};

// Where a streaming handler writes.
class Writer {
 public:
  virtual ~Writer() = default;
  // Sends `text` now, as one chunk; empty text is ignored. False when the client has gone: stop writing.
  virtual Task<bool> write(std::string text) = 0;
};

// Writes the body of a streaming answer. Returning ends it properly. When the client goes away the coroutine is
// cancelled at its await (as every GET handler is), so it may wait for hours between two writes.
using StreamBody = std::function<Task<void>(Writer&)>;

struct Response {
  int status = 200;
  Headers headers;
  std::string body;
  StreamBody stream;             // when set, sent chunked after the headers; `body` is ignored
  bool drop_connection = false;  // send nothing and close: the client retries as for a lost connection

  [[nodiscard]] static Response json(std::string text, int status = 200);
  [[nodiscard]] static Response text(std::string text, int status = 200);
  // 303 that is not kept, and tells nobody where it came from.
  [[nodiscard]] static Response see_other(std::string location);
  [[nodiscard]] static Response dropped();
};

// Handlers of GET and HEAD are cancelled when the client goes away; others run to their end, so that nothing is left
// half done.
using Handler = std::function<Task<Response>(const Request&)>;

// Asked when the head is there and before any of the body is read, which `request` lacks. An answer refuses the
// request.
using Admission = std::function<Task<std::optional<Response>>(Request& request)>;

}  // namespace det::http
