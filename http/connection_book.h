#pragma once

// Which connections there are, and whether one more may come. A stranger is a connection that has not yet sent a
// request that its route admitted: strangers are few, in all and from one address, and idle ones make room for newer
// ones. Connections that are known count for their account. Guests are let in by what they ask for, such as a task's
// program that anybody may use; they count for their address and are few, too, so that they take no place of a user's.
// Belongs to the io thread.

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <unordered_map>

namespace det::http {

// A connection, as the book sees it. stop() of http/session.h says how it is closed.
struct Connection {
  virtual ~Connection() = default;
  // Closes it unless a request that must not be cut is running; that one ends the connection itself.
  virtual void stop() = 0;

  std::string address;  // without the port; of IPv6 the /64
  std::string account;  // empty: a stranger
  bool is_idle = true;  // only the client is waited for: a head, a body, or that it reads its answer
};

struct ConnectionLimits {
  std::size_t total = 8192;
  std::size_t strangers = 1024;
  std::size_t strangers_per_address = 256;
  std::size_t per_account = 4096;
};

class ConnectionBook {
 public:
  explicit ConnectionBook(ConnectionLimits limits) : limits_(limits) {}

  void set_total(std::size_t total) { limits_.total = total; }
  // Makes room for a stranger from `address`, if need be by stopping the idle stranger that has been there longest.
  // False when there is none: the new connection is not to be served.
  [[nodiscard]] bool make_room(const std::string& address);
  void add(Connection& connection);
  void remove(Connection& connection);
  // The stranger is known from now on; false when the account has too many connections already.
  // Of an account_at() a sixteenth of all connections may be, a quarter of all such accounts together.
  [[nodiscard]] bool know(Connection& connection, const std::string& account);

  [[nodiscard]] const std::list<Connection*>& all() const { return all_; }
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  // How often make_room() has stopped a stranger, and how often it found no room.
  [[nodiscard]] std::uint64_t stopped() const { return stopped_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  [[nodiscard]] bool find_room(const std::string& address);
  [[nodiscard]] bool has_room(const std::string& account) const;
  void take_off(const Connection& connection);
  bool stop_idle_stranger(const std::string* address);
  [[nodiscard]] std::string crowded_address() const;

  ConnectionLimits limits_;
  std::list<Connection*> all_;  // in the order they came
  std::size_t strangers_ = 0;
  std::size_t guests_ = 0;
  std::uint64_t stopped_ = 0;
  std::uint64_t refused_ = 0;
  std::unordered_map<std::string, std::size_t> strangers_at_;  // by address
  std::unordered_map<std::string, std::size_t> accounts_;
};

// "127.0.0.1:40000" (Request::peer) without its port.
[[nodiscard]] inline std::string address_of_peer(const std::string& peer) {
  return peer.substr(0, peer.rfind(':'));
}
// The account of guests from an address.
[[nodiscard]] std::string account_at(const std::string& address);
// Of an IP address, what one client can be expected to have alone: all of IPv4, the first 64 bits of IPv6.
[[nodiscard]] std::string address_group(const std::string& address);

}  // namespace det::http
