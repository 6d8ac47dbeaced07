// The program behind the websockets of bench/proxy.py: takes every connection for a websocket and sends back what comes
// in frames of up to 125 bytes. Prints the loopback port it listens on; ends with its input.

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_map>

namespace {

// Of the key that proxy_load sends, which is the example of RFC 6455.
constexpr const char* kAnswer =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
constexpr std::size_t kFrameHead = 6;  // of a client's frame, with its mask

struct Connection {
  bool is_open = false;
  std::string in;
};

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

bool send_all(int fd, const std::string& bytes) {
  return ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

// False: the connection is of no more use.
bool serve(int fd, Connection& connection) {
  std::array<char, 4096> buffer{};
  const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got < 0 && errno == EAGAIN) return true;
  if (got <= 0) return false;
  std::string& in = connection.in;
  in.append(buffer.data(), static_cast<std::size_t>(got));
  if (!connection.is_open) {
    const auto end = in.find("\r\n\r\n");
    if (end == std::string::npos) return true;
    in.erase(0, end + 4);
    connection.is_open = true;
    if (!send_all(fd, kAnswer)) return false;
  }
  std::string out;
  while (in.size() >= kFrameHead) {
    const std::size_t size = static_cast<unsigned char>(in[1]) & 0x7fU;
    if (size > 125) return false;
    if (in.size() < kFrameHead + size) break;
    out.push_back(in[0]);
    out.push_back(static_cast<char>(size));
    for (std::size_t i = 0; i < size; ++i) out.push_back(static_cast<char>(in[kFrameHead + i] ^ in[2 + i % 4]));
    in.erase(0, kFrameHead + size);
  }
  return out.empty() || send_all(fd, out);
}

void watch(int epoll, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0) give_up("epoll_ctl");
}

int listen_somewhere() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (fd < 0 || ::bind(fd, reinterpret_cast<const sockaddr*>(&address), size) != 0 || ::listen(fd, 4096) != 0 ||
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    give_up("listen");
  }
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  return fd;
}

}  // namespace

int main() {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  const int listener = listen_somewhere();
  watch(epoll, listener);
  watch(epoll, STDIN_FILENO);
  std::unordered_map<int, Connection> connections;
  for (;;) {
    std::array<epoll_event, 256> events{};
    const int ready = ::epoll_wait(epoll, events.data(), events.size(), -1);
    if (ready < 0 && errno != EINTR) give_up("epoll_wait");
    for (int i = 0; i < ready; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      if (fd == STDIN_FILENO) return 0;
      if (fd == listener) {
        const int made = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (made < 0) give_up("accept");
        const int on = 1;
        ::setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        connections[made] = {};
        watch(epoll, made);
      } else if (!serve(fd, connections[fd])) {
        connections.erase(fd);
        ::close(fd);
      }
    }
  }
}
