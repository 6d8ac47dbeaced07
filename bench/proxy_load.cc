// The load that bench/proxy.py puts on a way to an origin, and what came of it, on one line:
//   proxy_load download   PORT TARGET TOKEN                     one answer, thrown away as it comes
//   proxy_load requests   PORT TARGET TOKEN TIMES CONNECTIONS   keep-alive, one at a time on each connection
//   proxy_load websockets PORT TARGET TOKEN IDLE ECHOES         opens IDLE websockets and prints "open"; after a line
//   of input, the round
//                                                               trips of ECHOES messages of 64 bytes on one more, one
//                                                               after the other
// TOKEN "-": none; of websockets, several with commas between them take turns.

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "bench/keep_alive_client.h"

namespace {

using det::bench::percentile;
using det::bench::SteadyClock;

constexpr const char* kHost = "127.0.0.1";
constexpr std::size_t kPayload = 64;

[[noreturn]] void give_up(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

struct Way {
  std::uint16_t port = 0;
  std::string target, token;
};

std::vector<Way> ways_of(const Way& way) {
  std::vector<Way> ways;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = way.token.find(',', begin);
    ways.push_back({.port = way.port, .target = way.target, .token = way.token.substr(begin, end - begin)});
  }
  return ways;
}

std::string head_of(const Way& way, std::string_view more) {
  std::string head = "GET " + way.target + " HTTP/1.1\r\nHost: " + kHost + ":" + std::to_string(way.port) + "\r\n";
  if (way.token != "-") head += "Authorization: Bearer " + way.token + "\r\n";
  return head.append("User-Agent: proxy_load\r\nAccept: */*\r\n").append(more).append("\r\n");
}

int connect_to(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  ::inet_pton(AF_INET, kHost, &address.sin_addr);
  if (fd < 0 || ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    give_up(std::string("connect: ") + std::strerror(errno));
  }
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

void send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) give_up(std::string("send: ") + std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::size_t receive(int fd, char* to, std::size_t size, int flags) {
  const ssize_t got = ::recv(fd, to, size, flags);
  if (got < 0) give_up(std::string("recv: ") + std::strerror(errno));
  if (got == 0) give_up("the server closed the connection");
  return static_cast<std::size_t>(got);
}

// Sends a request and reads the answer's head, to the byte. Gives it up unless it has this status.
std::string exchange_heads(int fd, const std::string& request, std::string_view status) {
  send_all(fd, request);
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    char c = 0;
    receive(fd, &c, 1, 0);
    head.push_back(c);
  }
  if (head.substr(9, 3) != status) give_up("answered with " + head);
  return head;
}

double seconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

int download(const Way& way) {
  const int fd = connect_to(way.port);
  const auto begin = SteadyClock::now();
  const std::string head = exchange_heads(fd, head_of(way, ""), "200");
  const auto at = head.find("ontent-Length: ");
  if (at == std::string::npos) give_up("an answer without Content-Length");
  std::size_t left = std::strtoull(head.c_str() + at + 15, nullptr, 10);
  const double mebibytes = static_cast<double>(left) / (1 << 20);
  // The kernel throws it away: a reader that costs little leaves the cores to what is measured.
  while (left > 0) left -= receive(fd, nullptr, std::min(left, std::size_t{1} << 20), MSG_TRUNC);
  std::printf("%.0f MiB at %.1f MiB/s\n", mebibytes, mebibytes / seconds_since(begin));
  return 0;
}

int requests(const Way& way, std::size_t times, std::size_t connections) {
  const std::string request = head_of(way, "");
  std::vector<double> taken;
  std::size_t sent = 0;
  det::bench::KeepAliveClient* user = nullptr;
  det::bench::KeepAliveClient client(kHost, way.port, connections,
                                     [&](std::size_t i, const det::bench::Answer& answer) {
                                       if (answer.status != 200)
                                         give_up("answered with " + std::to_string(answer.status));
                                       taken.push_back(answer.milliseconds);
                                       if (sent < times) {
                                         ++sent;
                                         user->send(i, request);
                                       }
                                     });
  user = &client;
  const auto begin = SteadyClock::now();
  for (; sent < connections; ++sent) client.send(sent, request);
  while (taken.size() < times) client.poll(std::chrono::milliseconds(20));
  const double seconds = seconds_since(begin);
  std::printf("%.0f/s p50 %.2f p99 %.2f ms\n", static_cast<double>(times) / seconds, percentile(taken, 0.5),
              percentile(taken, 0.99));
  return 0;
}

int open_websocket(const Way& way) {
  const int fd = connect_to(way.port);
  exchange_heads(fd,
                 head_of(way,
                         "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"),
                 "101");
  return fd;
}

int websockets(const Way& way, std::size_t idle, std::size_t echoes) {
  const std::vector<Way> ways = ways_of(way);
  for (std::size_t i = 0; i < idle; ++i) open_websocket(ways[i % ways.size()]);  // they end with this program
  std::printf("open\n");
  std::fflush(stdout);
  if (std::getchar() == EOF) return 0;
  const int fd = open_websocket(ways[0]);
  std::string message = {static_cast<char>(0x82), static_cast<char>(0x80U | kPayload), 1, 2, 3, 4};
  message.append(kPayload, 'x');
  std::array<char, kPayload + 2> echo{};
  std::vector<double> taken;
  for (std::size_t i = 0; i < echoes; ++i) {
    const auto begin = SteadyClock::now();
    send_all(fd, message);
    for (std::size_t got = 0; got < echo.size();) got += receive(fd, echo.data() + got, echo.size() - got, 0);
    taken.push_back(seconds_since(begin) * 1000);
  }
  std::printf("p50 %.3f p99 %.3f ms\n", percentile(taken, 0.5), percentile(taken, 0.99));
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  const auto number = [&](std::size_t i) { return std::strtoull(words[i].c_str(), nullptr, 10); };
  if (words.size() >= 4) {
    const Way way{.port = static_cast<std::uint16_t>(number(1)), .target = words[2], .token = words[3]};
    if (words[0] == "download" && words.size() == 4) return download(way);
    if (words[0] == "requests" && words.size() == 6) return requests(way, number(4), number(5));
    if (words[0] == "websockets" && words.size() == 6) return websockets(way, number(4), number(5));
  }
  std::fprintf(stderr, "usage: see the first lines of bench/proxy_load.cc\n");
  return 2;
}
