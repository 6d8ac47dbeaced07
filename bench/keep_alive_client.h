#pragma once

// Many keep-alive HTTP/1.1 connections driven by one epoll loop: as cheap as a load generator can be, because it shares
// the machine with what it measures. One thread. Aborts with a sentence when a connection cannot be made or is lost.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace det::bench {

using SteadyClock = std::chrono::steady_clock;

struct Answer {
  int status = 0;
  std::string body;         // empty when the client does not keep bodies
  std::size_t bytes = 0;    // of the body
  std::size_t lines = 0;    // newlines of the body
  double milliseconds = 0;  // from the request to the last byte
  double first_byte = 0;    // milliseconds to the first byte of the body
};

class KeepAliveClient {
 public:
  using OnAnswer = std::function<void(std::size_t connection, const Answer& answer)>;

  KeepAliveClient(std::string host, std::uint16_t port, std::size_t connections, OnAnswer on_answer);
  ~KeepAliveClient();
  KeepAliveClient(const KeepAliveClient&) = delete;
  KeepAliveClient& operator=(const KeepAliveClient&) = delete;

  [[nodiscard]] std::size_t size() const { return connections_.size(); }
  void keep_bodies() { keeps_bodies_ = true; }
  // One request at a time on a connection. The answer comes from a later poll().
  void send(std::size_t connection, const std::string& request);
  // Handles what is there, waits for up to `timeout`.
  void poll(std::chrono::milliseconds timeout);

 private:
  struct Connection {
    int fd = -1;
    std::string in;
    SteadyClock::time_point sent_at;
    bool has_head = false;
    bool is_chunked = false;
    std::size_t left = 0;  // bytes of the body or of the current chunk, with its line end
    Answer answer;
  };
  void read(std::size_t index);
  void take(std::size_t index);
  bool take_head(Connection& connection);
  bool take_body(Connection& connection);
  void take_bytes(Connection& connection, std::string_view bytes);

  int epoll_ = -1;
  bool keeps_bodies_ = false;
  OnAnswer on_answer_;
  std::vector<Connection> connections_;
  std::string buffer_;
};

// A request as the harness sends it; `token` goes into the header of task tokens.
[[nodiscard]] std::string request_text(std::string_view method, std::string_view target, std::string_view token,
                                       std::string_view body);

// The value below which `share` (0..1) of the values are. Sorts.
[[nodiscard]] double percentile(std::vector<double>& values, double share);

}  // namespace det::bench
