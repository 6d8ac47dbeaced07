#include "proxy/tcp_tunnel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/websocket_frames.h"
#include "tests/http/certificate.h"
#include "tests/http/tls_client.h"
#include "tests/proxy/origin.h"

namespace det::proxy {
namespace {

using http::RawClient;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kOpen =
    "GET /proxy/s/ HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";

std::string from_client(http::Opcode opcode, std::string_view payload) {
  std::string out = http::frame(opcode, payload);
  out[1] = static_cast<char>(static_cast<unsigned char>(out[1]) | 0x80U);
  const std::size_t head = out.size() - payload.size();
  return out.insert(head, 4, '\0');  // a mask of zeros
}

TEST(TcpTunnel, CarriesBytesBothWaysInBinaryMessages) {
  Origin origin([](Peer& peer) {
    peer.send("SSH-2.0\r\n");
    peer.send(peer.read_exactly(5));
    EXPECT_EQ(peer.read_all(), "");
    peer.send("bye");
  });
  Carrier carrier(origin.port(), true);
  RawClient client(carrier.port());
  client.send(kOpen);
  EXPECT_THAT(client.read_until("\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 101"), HasSubstr("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")));
  EXPECT_EQ(client.read_exactly(11), http::frame(http::Opcode::kBinary, "SSH-2.0\r\n"));
  client.send(from_client(http::Opcode::kPing, "p") + from_client(http::Opcode::kText, "no") +
              from_client(http::Opcode::kBinary, "hel"));
  client.send(from_client(http::Opcode::kBinary, "lo"));
  EXPECT_EQ(client.read_exactly(10),
            http::frame(http::Opcode::kPong, "p") + http::frame(http::Opcode::kBinary, "hello"));
  client.send(from_client(http::Opcode::kClose, "\x03\xe8goodbye"));
  EXPECT_EQ(client.read_all(), http::frame(http::Opcode::kBinary, "bye") + http::close_frame(1000));
  EXPECT_GE(carrier.uses(), 2);
}

TEST(TcpTunnel, SaysCloseWhenTheProgramEnds) {
  Origin origin([](Peer& peer) { peer.send("end"); });
  Carrier carrier(origin.port(), true);
  RawClient client(carrier.port());
  client.send(kOpen);
  client.read_until("\r\n\r\n");
  EXPECT_EQ(client.read_exactly(9), http::frame(http::Opcode::kBinary, "end") + http::close_frame(1000));
  client.send(from_client(http::Opcode::kClose, "\x03\xe8"));
  EXPECT_EQ(client.read_all(), "");
  RawClient silent(carrier.port());
  silent.send(kOpen);
  silent.read_until(http::close_frame(1000));
  carrier.look_after(std::chrono::seconds(6));
  EXPECT_EQ(silent.read_all(), "") << "who does not answer is not waited for";
}

TEST(TcpTunnel, GoesOnForAClientThatHasSaidAllAndStillListens) {
  std::promise<void> first;
  std::promise<void> second;
  Origin origin([&](Peer& peer) {
    EXPECT_EQ(peer.read_all(), "") << "the client's end";
    peer.send("a");
    first.get_future().wait();
    peer.send("b");
    second.get_future().wait();
    peer.send("c");
  });
  Carrier carrier(origin.port(), true);
  RawClient client(carrier.port());
  client.send(kOpen);
  client.read_until("\r\n\r\n");
  client.send(from_client(http::Opcode::kClose, "\x03\xe8"));
  EXPECT_EQ(client.read_exactly(3), http::frame(http::Opcode::kBinary, "a"));
  carrier.pass(std::chrono::seconds(4));
  first.set_value();
  EXPECT_EQ(client.read_exactly(3), http::frame(http::Opcode::kBinary, "b"));
  carrier.pass(std::chrono::seconds(4));
  second.set_value();
  EXPECT_EQ(client.read_all(), http::frame(http::Opcode::kBinary, "c") + http::close_frame(1000));
}

TEST(TcpTunnel, EndsWhereTheClientBreaksTheProtocol) {
  Origin origin([](Peer& peer) { peer.read_all(); });
  Carrier carrier(origin.port(), true);
  RawClient client(carrier.port());
  client.send(kOpen);
  client.read_until("\r\n\r\n");
  client.send("\x82\x01x");
  client.send("xxxx");
  EXPECT_EQ(client.read_all(), http::close_frame(1002));
}

TEST(TcpTunnel, IsRefusedBeforeTheUpgradeWhereThereIsNoProgram) {
  int port = 0;
  {
    Origin gone([](Peer&) {});
    port = gone.port();
  }
  Carrier carrier(port, true);
  RawClient client(carrier.port());
  client.send(kOpen);
  EXPECT_THAT(client.read_until("\"}"), AllOf(StartsWith("HTTP/1.1 502"), HasSubstr("is not ready")));
  client.send("GET /proxy/s/ HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.read_until("\"}"), AllOf(StartsWith("HTTP/1.1 426"), HasSubstr("Upgrade: websocket")));
}

TEST(TcpTunnel, CarriesALotToWhoReadsSlowly) {
  const std::string much(3'000'000, 'x');
  Origin origin([&](Peer& peer) {
    peer.send(much);
    EXPECT_EQ(peer.read_exactly(much.size()).size(), much.size());
  });
  Carrier carrier(origin.port(), true);
  RawClient client(carrier.port());
  client.send(kOpen);
  client.read_until("\r\n\r\n");
  for (std::size_t sent = 0; sent < much.size(); sent += 100'000) {
    client.send(from_client(http::Opcode::kBinary, std::string_view(much).substr(0, 100'000)));
  }
  const std::string all = client.read_until(http::close_frame(1000));
  EXPECT_GT(all.size(), much.size());
  EXPECT_LT(all.size(), much.size() + much.size() / 100);
}

// A connection that falls silent: what is read once `carrier` has looked after it for so long. More than one look,
// because the client may have "hi" before the tunnel knows that it is sent, and a look passes over who is sending.
template <typename Client>
std::string read_after_silence(Carrier& carrier, Client& client) {
  client.send(kOpen);
  client.read_until("\r\n\r\n");
  client.read_exactly(4);  // "hi": the tunnel is there
  do {
    carrier.look_after(std::chrono::seconds(50));
  } while (client.stream().lowest_layer().available() == 0);
  return client.read_exactly(2);
}

TEST(TcpTunnel, PingsWhoIsSilent) {
  Origin origin([](Peer& peer) {
    peer.send("hi");
    peer.read_all();
  });
  Carrier carrier(origin.port(), true);
  RawClient client(carrier.port());
  EXPECT_EQ(read_after_silence(carrier, client), http::frame(http::Opcode::kPing, {}));
}

TEST(TcpTunnel, PingsOverTls) {
  Origin origin([](Peer& peer) {
    peer.send("hi");
    peer.read_all();
  });
  const http::Certificate certificate;
  Carrier carrier(origin.port(), true, {.tls = certificate.files()});
  http::TlsClient client(carrier.port());
  EXPECT_EQ(read_after_silence(carrier, client), http::frame(http::Opcode::kPing, {}));
}

}  // namespace
}  // namespace det::proxy
