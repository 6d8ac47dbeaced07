#pragma once

// Which names a server answers to, and whose pages. A browser that was led here by another site's name (DNS rebinding),
// or that sends a request of another site's page, carries that site's name in Host or Origin. Pure; any thread.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace det::http {

class HostCheck {
 public:
  // `names`: host names and addresses without ports, besides those of the loopback interface. With `any_address` every
  // IP address is right: a page of another site always comes by a name.
  HostCheck(std::vector<std::string> names, bool any_address);

  // Whether `authority` ("localhost:8080", "[::1]:80") names this server; its port does not count.
  [[nodiscard]] bool knows(std::string_view authority) const;
  // The answer to a request for somebody else: 421 for its Host, 403 for its Origin, 400 for two Hosts. A request
  // without a Host (HTTP/1.0) comes from no browser.
  [[nodiscard]] std::optional<Response> refusal(const Request& request) const;

 private:
  std::vector<std::string> names_;
  bool any_address_;
};

// Whether a page of this server's own sent the request, or a program did, which has no Origin. Origin is compared with
// Host and X-Forwarded-Host, in host and port; the scheme does not count, because TLS may end in front of us. `also`:
// host names whose pages are ours too, where something in front changes Host and does not say so.
[[nodiscard]] bool is_from_own_page(const Request& request, std::span<const std::string> also = {});
// 403 for what a page of another site, or of another port of this host, would change by the cookies that its reader's
// browser adds, and for a login that it sends. A token in Authorization is one that the sender has.
[[nodiscard]] std::optional<Response> refusal_of_foreign_page(const Request& request,
                                                              std::span<const std::string> also = {});

// Whether the browser that sent the request sees this server by TLS, which may end in front of us: X-Forwarded-Proto
// says so, or the page that sent it came so. Who lies changes only the answer to itself.
[[nodiscard]] bool is_seen_by_tls(const Request& request);

}  // namespace det::http
