#pragma once

// One server, spoken to with one token (or none): JSON in, JSON out, errors in the words of the Python command line.
// Reads are tried again when the connection or the server was away for a moment. Belongs to the io thread.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "cli/master_address.h"
#include "cli/text.h"
#include "cli/world.h"

namespace det::cli {

using Query = std::vector<std::pair<std::string, std::string>>;

// "?a=1&b=x%20y", or nothing for an empty query.
[[nodiscard]] std::string query_text(const Query& query);
// One segment of a path, percent-encoded.
[[nodiscard]] std::string path_segment(std::string_view text);

// What an answer of status 300 or more says, in its own words where it has some.
[[nodiscard]] Error error_of(const HttpResponse& response);

// What a download asks beside its form, and is told before the first byte; each may be empty.
struct DownloadPart {
  HttpHeaders headers;
  std::function<Status(const HttpResponse& head)> on_head;
  // Whether this answer (of a status of 300 or more) says that nothing is left to send.
  std::function<bool(const HttpResponse& refused)> says_all_was_sent;
};

class MasterClient {
 public:
  // `world` outlives the client.
  MasterClient(World& world, MasterAddress master, std::shared_ptr<const TlsConfig> tls)
      : world_(world), master_(std::move(master)), trust_(std::make_shared<Trust>(std::move(tls))) {}

  // Asked, once, when a master cannot be trusted: whom to trust instead. Copies of the client share the answer.
  void ask_for_trust(std::function<Task<Result<std::shared_ptr<const TlsConfig>>>()> question) {
    trust_->question = std::move(question);
  }
  void use_token(std::string token) { token_ = std::move(token); }
  // How often a read is tried again; 0 for the first calls, whose failure a person should see at once.
  void set_retries(int retries) { retries_ = retries; }

  // `path` starts with a slash. The answer of a status below 300 as JSON; null for an empty one.
  Task<Result<Json>> get(std::string path, Query query = {});
  Task<Result<Json>> send(std::string method, std::string path, std::optional<Json> body = std::nullopt);
  // The same for an answer that may take long to come, as long as it flows.
  Task<Result<Json>> get_large(std::string path);
  // The same for a body that takes long: `progress` gets what was sent and the whole, in bytes.
  Task<Result<Json>> upload(std::string path, std::string body,
                            std::function<void(std::uint64_t, std::uint64_t)> progress);
  // A body that is no JSON, as it comes. kUnavailable where it ends too early, kDeadlineExceeded where it stops
  // flowing.
  Task<Status> download(std::string path, std::string accept, std::function<Status(std::string_view)> take,
                        DownloadPart part = {});
  // Each line's "result" goes to `on_item` as it comes; `on_answer`, which may be empty, is called before the first, as
  // soon as the master has answered.
  Task<Status> follow(std::string path, Query query, std::function<void(const Json&)> on_item,
                      std::function<void()> on_answer = {});
  // All items of a list that comes in pages, from `offset` on; only one page when `one_page`.
  Task<Result<Json>> list(std::string path, std::string key, Query query, std::int64_t limit, std::int64_t offset,
                          bool one_page);

  // What to say of an answer that no master gives; `answer` goes on after "it answered".
  [[nodiscard]] Error not_a_master(const std::string& answer) const;

  [[nodiscard]] const MasterAddress& master() const { return master_; }
  [[nodiscard]] const std::string& token() const { return token_; }
  [[nodiscard]] const std::shared_ptr<const TlsConfig>& tls() const { return trust_->tls; }

 private:
  struct Trust {
    std::shared_ptr<const TlsConfig> tls;
    std::function<Task<Result<std::shared_ptr<const TlsConfig>>>()> question = {};
  };

  [[nodiscard]] HttpRequest request(const std::string& method, const std::string& path) const;
  [[nodiscard]] Error unreachable(const Error& error) const;
  // Of an answer of status 300 or more.
  [[nodiscard]] Error refusal(const HttpResponse& response) const;
  Task<Result<Json>> run(HttpRequest request);

  World& world_;
  MasterAddress master_;
  std::shared_ptr<Trust> trust_;
  std::string token_;
  int retries_ = 5;
};

}  // namespace det::cli
