// Pure parts: heads, chunks, cookies, frames, seals, origins, targets.

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/encoding.h"
#include "http/target.h"
#include "http/websocket_frames.h"
#include "proxy/browser.h"
#include "proxy/chunk_decoder.h"
#include "proxy/cookies.h"
#include "proxy/gatekeeper.h"
#include "proxy/response_head.h"
#include "proxy/seals.h"
#include "proxy/targets.h"
#include "proxy/task_origins.h"

namespace det::proxy {
namespace {

using testing::ElementsAre;

TEST(ChunkDecoder, GivesTheSameBodyHoweverItIsCut) {
  const std::string text = "5;a=b\r\nhello\r\n00a\r\n 0123456\r\n\r\n0\r\nT: 1\r\nU: 2\r\n\r\nrest";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    ChunkDecoder decoder;
    std::string body;
    std::size_t at = 0;
    while (!decoder.is_done()) {
      const auto piece = decoder.next(std::string_view(text).substr(at, size));
      ASSERT_TRUE(piece) << size;
      at += piece->used;
      body += piece->data;
    }
    EXPECT_EQ(body, "hello 0123456\r\n");
    EXPECT_EQ(text.substr(at), "rest");
  }
}

TEST(Cookies, OfOursStayHere) {
  EXPECT_EQ(without_our_cookies("a=1; auth=x; b=2;det_proxy=y ; AUTH=z"), "a=1; b=2");
  EXPECT_EQ(without_our_cookies("auth=x"), "");
  EXPECT_EQ(without_our_cookies(" auth =x; authx=1"), "authx=1");
  EXPECT_EQ(without_our_cookies("det_sign_in=x; __Host-det_sign_in=y; __Host-a=1"), "__Host-a=1");
  http::Request request;
  request.headers.add("Cookie", "a=1; det_proxy=x");
  request.headers.add("cookie", "det_proxy=y; b=det_proxy=z");
  EXPECT_THAT(cookies_of(request, kProxyCookie), ElementsAre("x", "y"));
}

TEST(Cookies, OfAProgramStayWithItsHostAndPassForNoneOfOurs) {
  EXPECT_EQ(clean_set_cookie("a=1; Path=/; Domain=.localhost; HttpOnly"), "a=1; Path=/; HttpOnly");
  EXPECT_EQ(clean_set_cookie("a=1; domain =x;DOMAIN"), "a=1");
  EXPECT_EQ(clean_set_cookie("a=1;; Secure; "), "a=1; Secure") << "the same when it is read again";
  EXPECT_FALSE(clean_set_cookie("auth=1"));
  EXPECT_FALSE(clean_set_cookie(" det_proxy =1; Path=/"));
  EXPECT_FALSE(clean_set_cookie("=auth=1"));
  EXPECT_FALSE(clean_set_cookie("det_sign_in=1; Path=/"));
  EXPECT_FALSE(clean_set_cookie("__host-det_sign_in=1; Path=/; Secure"));
  EXPECT_FALSE(clean_set_cookie("auth"));
  EXPECT_FALSE(clean_set_cookie(""));
}

std::string masked(unsigned char first, std::string_view payload) {
  std::string out = {static_cast<char>(first), static_cast<char>(0x80U | payload.size()), 1, 2, 3, 4};
  for (std::size_t i = 0; i < payload.size(); ++i) out.push_back(static_cast<char>(payload[i] ^ (i % 4 + 1)));
  return out;
}

TEST(WebsocketFrames, AreReadHoweverTheyAreCut) {
  std::string text = masked(0x02, "Hel") + masked(0x89, "ping") + masked(0x00, "") + masked(0x80, "lo") +
                     masked(0x81, "text") + masked(0x88, "\x03\xe8");
  for (std::size_t size = 1; size <= text.size(); ++size) {
    http::FrameReader reader(http::FrameReader::Role::kServer);
    std::string seen;
    std::string bytes = text;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      const bool is_right = reader.feed(bytes.data() + at, std::min(size, bytes.size() - at),
                                        [&](http::Opcode opcode, std::string_view payload, bool is_end) {
                                          if (opcode != http::Opcode::kText) seen += payload;
                                          if (is_end && opcode != http::Opcode::kBinary) seen += '|';
                                        });
      ASSERT_TRUE(is_right);
    }
    EXPECT_EQ(seen, "Helping|lo|\x03\xe8|") << size;
  }
  EXPECT_EQ(http::frame(http::Opcode::kBinary, "ab"), std::string("\x82\x02"
                                                                  "ab"));
  EXPECT_EQ(http::binary_frame_head(126), std::string("\x82\x7e\x00\x7e", 4));
  EXPECT_EQ(http::binary_frame_head(65536), std::string("\x82\x7f\0\0\0\0\0\1\0\0", 10));
}

TEST(WebsocketFrames, ThatBreakTheProtocolAreRefused) {
  const auto is_right = [](std::string bytes) {
    http::FrameReader reader(http::FrameReader::Role::kServer);
    return reader.feed(bytes.data(), bytes.size(), [](http::Opcode, std::string_view, bool) {});
  };
  EXPECT_TRUE(is_right(masked(0x82, "a")));
  EXPECT_FALSE(is_right("\x82\x01zzzza")) << "not masked";
  EXPECT_FALSE(is_right(masked(0xc2, "a"))) << "compressed";
  EXPECT_FALSE(is_right(masked(0x80, "a"))) << "continues nothing";
  EXPECT_FALSE(is_right(masked(0x02, "a") + masked(0x82, "b"))) << "a message within a message";
  EXPECT_FALSE(is_right(masked(0x09, "a"))) << "a ping in pieces";
  EXPECT_FALSE(is_right(masked(0x83, "a"))) << "no such frame";
  EXPECT_FALSE(is_right(std::string("\x82\xff\x80\0\0\0\0\0\0\0zzzz", 14))) << "longer than anything";
}

TEST(Seals, OpenWithTheirKeyAndKindUntilTheyEnd) {
  const WallTime now = SystemClock().wall_now();
  const Seal seal{.kind = SealKind::kTicket,
                  .service = "t:8080",
                  .session = sha256_hex("s"),
                  .token_hash = {},
                  .api_origin = "http://localhost:8080",
                  .nonce = "n",
                  .expires_at = now + std::chrono::seconds(30)};
  const Seals seals("key");
  std::string text = seals.make(seal);
  EXPECT_EQ(seals.read(text, SealKind::kTicket, now), seal);
  EXPECT_FALSE(seals.read(text, SealKind::kCookie, now));
  EXPECT_FALSE(seals.read(text, SealKind::kTicket, now + std::chrono::seconds(30)));
  EXPECT_FALSE(Seals("other").read(text, SealKind::kTicket, now));
  for (std::size_t i = 0; i < text.size(); i += 7) {
    std::string broken = text;
    broken[i] = broken[i] == '0' ? '1' : '0';
    EXPECT_FALSE(seals.read(broken, SealKind::kTicket, now));
  }
  EXPECT_FALSE(seals.read("", SealKind::kTicket, now));
}

http::Request to(const std::string& host) {
  http::Request request;
  request.method = "GET";
  request.headers.add("Host", host);
  return request;
}

TEST(TaskOrigins, AreHostNamesOfTheirOwn) {
  const TaskOrigins local({.host_suffix = "localhost"});
  EXPECT_EQ(local.origin_for("3.0f-1", to("127.0.0.1:8080")), "http://3-0f-1.localhost:8080");
  EXPECT_EQ(local.label_of("ABC.localhost:8080"), "abc");
  EXPECT_EQ(local.label_of("abc.localhost."), "abc");
  EXPECT_FALSE(local.label_of("localhost:8080"));
  EXPECT_FALSE(local.label_of("evillocalhost"));
  EXPECT_TRUE(local.is_task_origin("http://abc.localhost:1"));
  EXPECT_FALSE(local.is_task_origin("http://localhost:1"));
  EXPECT_FALSE(local.is_task_origin("null"));
  const TaskOrigins behind({.host_suffix = "https://*.Tasks.example.com"});
  EXPECT_EQ(behind.origin_for("a", to("det.example.com")), "https://a.tasks.example.com");
  EXPECT_TRUE(behind.is_https(to("a.tasks.example.com"), true));
  EXPECT_FALSE(behind.is_https(to("det.example.com"), false));
  const TaskOrigins other({.host_suffix = "tasks.example.com:81"});
  EXPECT_EQ(other.origin_for("a", to("[::1]:80")), "http://a.tasks.example.com:81");
}

TEST(TaskOrigins, AreAnotherPortWithoutNames) {
  const TaskOrigins origins({.port = 8081});
  EXPECT_TRUE(origins.exist());
  EXPECT_EQ(origins.origin_for("a", to("[::1]:8080")), "http://[::1]:8081");
  EXPECT_TRUE(origins.is_task_origin("http://det:8081"));
  EXPECT_FALSE(origins.is_task_origin("http://det:8080"));
  EXPECT_FALSE(TaskOrigins({}).exist());
}

TEST(Targets, AreAddressesOfPodsOnly) {
  const auto refused = [](const std::string& address, int port = 80, TargetRules rules = {}) {
    store::ProxyService service;
    service.address = address;
    service.port = port;
    return !target_of(service, rules).has_value();
  };
  EXPECT_FALSE(refused("10.0.0.7"));
  EXPECT_FALSE(refused("fd00::7"));
  for (const char* address : {"127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", "169.254.169.254", "fe80::1",
                              "::ffff:169.254.169.254", "fd00:ec2::254", "0.0.0.0", "::", "224.0.0.1", "ff02::1",
                              "255.255.255.255", "0.1.2.3", "fe80::1%lo", "localhost", "", "10.0.0.7 "}) {
    EXPECT_TRUE(refused(address)) << address;
  }
  EXPECT_TRUE(refused("10.0.0.7", 0));
  EXPECT_TRUE(refused("10.0.0.7", 65536));
  const TargetRules local{.shares_host_network = true, .own_ports = {8080}};
  EXPECT_FALSE(refused("127.0.0.1", 8888, local));
  EXPECT_TRUE(refused("127.0.0.1", 8080, local));
  const TargetRules cluster{.forbidden = {{asio::ip::make_address("10.0.0.1"), 443}}};
  EXPECT_TRUE(refused("10.0.0.1", 443, cluster));
  EXPECT_FALSE(refused("10.0.0.1", 444, cluster));
}

TEST(Browser, IsKnownByWhatOnlyBrowsersSend) {
  http::Request program = to("localhost:8080");
  program.headers.add("Accept", "*/*");
  EXPECT_FALSE(is_browser(program));
  EXPECT_TRUE(is_own_page(program));
  http::Request link = to("localhost:8080");
  link.headers.add("Accept", "text/html,*/*");
  link.headers.add("Sec-Fetch-Site", "cross-site");
  link.headers.add("Sec-Fetch-Mode", "navigate");
  EXPECT_TRUE(is_browser(link));
  EXPECT_TRUE(is_own_page(link));
  http::Request image = to("localhost:8080");
  image.headers.add("Sec-Fetch-Site", "same-site");
  image.headers.add("Sec-Fetch-Mode", "no-cors");
  EXPECT_FALSE(is_own_page(image));
  http::Request foreign = to("localhost:8080");
  foreign.headers.add("Origin", "http://localhost:8081");
  EXPECT_FALSE(is_own_page(foreign));
}

TEST(Targets, OfRequestsLoseATicketAndNothingElse) {
  EXPECT_EQ(without_parameter("/a?x=1&det_ticket=2&y", "det_ticket"), "/a?x=1&y");
  EXPECT_EQ(without_parameter("/a?det%5Fticket=2", "det_ticket"), "/a");
  EXPECT_EQ(without_parameter("/a?b=det_ticket", "det_ticket"), "/a?b=det_ticket");
  EXPECT_EQ(rest_of("/proxy/x/a/b?c"), "a/b?c");
  EXPECT_EQ(rest_of("/proxy/x?c"), "?c");
  EXPECT_EQ(rest_of("/proxy/x"), "");
}

}  // namespace
}  // namespace det::proxy
