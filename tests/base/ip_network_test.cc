#include "base/ip_network.h"

#include <gtest/gtest.h>

namespace det {
namespace {

TEST(IpNetwork, ContainsItsAddresses) {
  const IpNetwork ten = IpNetwork::parse("10.0.0.0/8").value();
  EXPECT_TRUE(ten.contains("10.255.0.1"));
  EXPECT_TRUE(ten.contains("::ffff:10.1.2.3"));
  EXPECT_FALSE(ten.contains("11.0.0.1"));
  EXPECT_FALSE(ten.contains("ten"));
  EXPECT_TRUE(IpNetwork::parse("172.16.0.0/12").value().contains("172.31.255.255"));
  EXPECT_FALSE(IpNetwork::parse("172.16.0.0/12").value().contains("172.32.0.0"));
  EXPECT_TRUE(IpNetwork::parse("fd00::/8").value().contains("fdab::1"));
  EXPECT_TRUE(IpNetwork::parse("192.0.2.7").value().contains("192.0.2.7"));
  EXPECT_FALSE(IpNetwork::parse("192.0.2.7").value().contains("192.0.2.8"));
  EXPECT_TRUE(IpNetwork::parse("0.0.0.0/0").value().contains("8.8.8.8"));
  EXPECT_FALSE(IpNetwork::parse("0.0.0.0/0").value().contains("2606:4700::1"));
  EXPECT_TRUE(IpNetwork::parse("::/0").value().contains("8.8.8.8"));
}

TEST(IpNetwork, RefusesWhatIsNone) {
  for (const char* text :
       {"", "10", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8x", "fd00::/129", "host/8", "10.0.0.0/"}) {
    EXPECT_FALSE(IpNetwork::parse(text)) << text;
  }
}

TEST(IpNetwork, KnowsWhatIsPublic) {
  for (const char* address : {"8.8.8.8", "140.82.112.3", "2606:4700::1111", "::ffff:8.8.8.8"}) {
    EXPECT_TRUE(is_public_address(address)) << address;
  }
  for (const char* address : {"127.0.0.1",
                              "10.0.0.1",
                              "172.20.1.1",
                              "192.168.1.1",
                              "169.254.169.254",
                              "0.0.0.0",
                              "100.64.0.1",
                              "224.0.0.1",
                              "255.255.255.255",
                              "::1",
                              "::",
                              "fe80::1",
                              "fd00::1",
                              "ff02::1",
                              "::ffff:127.0.0.1",
                              "::ffff:169.254.169.254",
                              "64:ff9b::7f00:1",
                              "2002:7f00:1::",
                              "2001:db8::1",
                              "::127.0.0.1",
                              "localhost",
                              ""}) {
    EXPECT_FALSE(is_public_address(address)) << address;
  }
}

}  // namespace
}  // namespace det
