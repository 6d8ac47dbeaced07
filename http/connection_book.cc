#include "http/connection_book.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <boost/asio/ip/address.hpp>

namespace det::http {

namespace {

constexpr std::string_view kGuests = "at ";
constexpr std::size_t kGuestsShare = 4;
constexpr std::size_t kGuestsPerAddressShare = 16;

bool is_guest(const std::string& account) {
  return account.starts_with(kGuests);
}

void take_one(std::unordered_map<std::string, std::size_t>& counts, const std::string& key) {
  const auto found = counts.find(key);
  if (found != counts.end() && --found->second == 0) counts.erase(found);
}

}  // namespace

bool ConnectionBook::make_room(const std::string& address) {
  const bool is_found = find_room(address);
  if (!is_found) ++refused_;
  return is_found;
}

bool ConnectionBook::find_room(const std::string& address) {
  const auto here = strangers_at_.find(address);
  if (here != strangers_at_.end() && here->second >= limits_.strangers_per_address) return stop_idle_stranger(&address);
  if (strangers_ < limits_.strangers && all_.size() < limits_.total) return true;
  const std::string crowded = crowded_address();
  return stop_idle_stranger(&crowded) || stop_idle_stranger(nullptr);
}

void ConnectionBook::add(Connection& connection) {
  all_.push_back(&connection);
  ++strangers_;
  ++strangers_at_[connection.address];
}

void ConnectionBook::remove(Connection& connection) {
  if (std::erase(all_, &connection) != 0) take_off(connection);
}

void ConnectionBook::take_off(const Connection& connection) {
  if (connection.account.empty()) {
    --strangers_;
    take_one(strangers_at_, connection.address);
    return;
  }
  if (is_guest(connection.account)) --guests_;
  take_one(accounts_, connection.account);
}

bool ConnectionBook::has_room(const std::string& account) const {
  const auto now = accounts_.find(account);
  const std::size_t its = now == accounts_.end() ? 0 : now->second;
  if (!is_guest(account)) return its < limits_.per_account;
  return its < limits_.total / kGuestsPerAddressShare && guests_ < limits_.total / kGuestsShare;
}

bool ConnectionBook::know(Connection& connection, const std::string& account) {
  if (connection.account == account) return true;
  // It was stopped, and its request had come in already.
  if (std::ranges::find(all_, &connection) == all_.end()) return false;
  if (!has_room(account)) return false;
  take_off(connection);
  ++accounts_[account];
  if (is_guest(account)) ++guests_;
  connection.account = account;
  return true;
}

bool ConnectionBook::stop_idle_stranger(const std::string* address) {
  const auto oldest = std::ranges::find_if(all_, [address](const Connection* one) {
    return one->account.empty() && one->is_idle && (address == nullptr || one->address == *address);
  });
  if (oldest == all_.end()) return false;
  Connection* const stopped = *oldest;
  ++stopped_;
  // Its coroutine ends later; what it held is free from now on.
  remove(*stopped);
  stopped->stop();
  return true;
}

std::string ConnectionBook::crowded_address() const {
  const auto most = std::ranges::max_element(strangers_at_, {}, [](const auto& entry) { return entry.second; });
  return most == strangers_at_.end() ? std::string() : most->first;
}

std::string account_at(const std::string& address) {
  return std::string(kGuests) + address;
}

std::string address_group(const std::string& address) {
  boost::system::error_code ec;
  const auto ip = boost::asio::ip::make_address(address, ec);
  if (ec || ip.is_v4()) return address;
  const auto v6 = ip.to_v6();
  if (v6.is_v4_mapped()) return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, v6).to_string();
  auto bytes = v6.to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
  return boost::asio::ip::address_v6(bytes).to_string() + "/64";
}

}  // namespace det::http
