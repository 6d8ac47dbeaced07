#include "bench/keep_alive_client.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace det::bench {

namespace {

constexpr std::size_t kReadPiece = std::size_t{256} << 10;

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

double milliseconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double, std::milli>(SteadyClock::now() - begin).count();
}

int connect_to(const std::string& host, std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) give_up("--host is not an IPv4 address");
  if (fd < 0 || ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) give_up("connect");
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

// The value of `name` in lower case within a head, or nothing.
std::string_view header(std::string_view head, std::string_view name) {
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at + 2)) {
    const std::string_view line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    const bool same = std::ranges::equal(line.substr(0, name.size()), name,
                                         [](char a, char b) { return std::tolower(a) == std::tolower(b); });
    if (same) return line.substr(line.find_first_not_of(' ', name.size() + 1));
  }
  return {};
}

}  // namespace

KeepAliveClient::KeepAliveClient(std::string host, std::uint16_t port, std::size_t connections, OnAnswer on_answer)
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      on_answer_(std::move(on_answer)),
      connections_(connections),
      buffer_(kReadPiece, '\0') {
  for (std::size_t i = 0; i < connections; ++i) {
    connections_[i].fd = connect_to(host, port);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, connections_[i].fd, &event) != 0) give_up("epoll_ctl");
  }
}

KeepAliveClient::~KeepAliveClient() {
  for (const Connection& connection : connections_) ::close(connection.fd);
  ::close(epoll_);
}

// What the socket does not take at once is sent blocking: the server reads, so that ends.
void KeepAliveClient::send(std::size_t index, const std::string& request) {
  Connection& connection = connections_[index];
  connection.sent_at = SteadyClock::now();
  connection.answer = Answer();
  connection.has_head = false;
  std::string_view rest = request;
  while (!rest.empty()) {
    const ssize_t sent = ::send(connection.fd, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0) give_up("send");
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void KeepAliveClient::poll(std::chrono::milliseconds timeout) {
  std::array<epoll_event, 256> events{};
  const int ready = ::epoll_wait(epoll_, events.data(), events.size(), static_cast<int>(timeout.count()));
  if (ready < 0 && errno != EINTR) give_up("epoll_wait");
  for (int i = 0; i < ready; ++i) read(events[static_cast<std::size_t>(i)].data.u64);
}

void KeepAliveClient::read(std::size_t index) {
  Connection& connection = connections_[index];
  const ssize_t got = ::recv(connection.fd, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got < 0) give_up("recv");
  if (got == 0) {
    std::fprintf(stderr, "the server closed a connection\n");
    std::exit(1);
  }
  connection.in.append(buffer_.data(), static_cast<std::size_t>(got));
  take(index);
}

void KeepAliveClient::take(std::size_t index) {
  Connection& connection = connections_[index];
  if (!connection.has_head && !take_head(connection)) return;
  if (!take_body(connection)) return;
  connection.answer.milliseconds = milliseconds_since(connection.sent_at);
  const Answer answer = std::move(connection.answer);
  on_answer_(index, answer);
}

bool KeepAliveClient::take_head(Connection& connection) {
  const auto end = connection.in.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  const std::string_view head = std::string_view(connection.in).substr(0, end);
  connection.answer.status = std::atoi(connection.in.c_str() + 9);
  connection.is_chunked = header(head, "transfer-encoding") == "chunked";
  connection.left = 0;
  const std::string_view length = header(head, "content-length");
  std::from_chars(length.data(), length.data() + length.size(), connection.left);
  connection.in.erase(0, end + 4);
  connection.has_head = true;
  return true;
}

// True when the body is complete.
bool KeepAliveClient::take_body(Connection& connection) {
  std::string_view in = connection.in;
  bool is_done = !connection.is_chunked && connection.left == 0;
  while (!is_done) {
    if (connection.left == 0) {  // the line with the size of a chunk
      const auto end = in.find("\r\n");
      if (end == std::string_view::npos) break;
      std::size_t size = 0;
      std::from_chars(in.data(), in.data() + end, size, 16);
      is_done = size == 0;
      if (is_done && in.size() < end + 4) {
        is_done = false;
        break;
      }
      in.remove_prefix(is_done ? end + 4 : end + 2);
      connection.left = is_done ? 0 : size + 2;
      continue;
    }
    if (in.empty()) break;
    const std::size_t line_end = connection.is_chunked ? 2 : 0;
    const std::size_t here = std::min(in.size(), connection.left);
    const std::size_t payload = connection.left > line_end ? std::min(here, connection.left - line_end) : 0;
    take_bytes(connection, in.substr(0, payload));
    in.remove_prefix(here);
    connection.left -= here;
    is_done = !connection.is_chunked && connection.left == 0;
  }
  connection.in.erase(0, connection.in.size() - in.size());
  return is_done;
}

void KeepAliveClient::take_bytes(Connection& connection, std::string_view bytes) {
  Answer& answer = connection.answer;
  if (answer.bytes == 0 && !bytes.empty()) answer.first_byte = milliseconds_since(connection.sent_at);
  answer.bytes += bytes.size();
  answer.lines += static_cast<std::size_t>(std::ranges::count(bytes, '\n'));
  if (keeps_bodies_) answer.body += bytes;
}

std::string request_text(std::string_view method, std::string_view target, std::string_view token,
                         std::string_view body) {
  std::string text;
  text.reserve(body.size() + 300);
  text.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n");
  text.append("User-Agent: python-requests/2.32.3\r\nAccept-Encoding: gzip, deflate\r\nAccept: */*\r\n");
  text.append("Connection: keep-alive\r\nGrpc-Metadata-x-allocation-token: Bearer ").append(token).append("\r\n");
  if (method != "GET") text.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
  return text.append("\r\n").append(body);
}

double percentile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

}  // namespace det::bench
