// Archives from bytes: the first byte says whether the rest is a gzipped archive, or a tar to be wrapped in gzip here.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <boost/crc.hpp>

#include "base/tgz.h"

namespace {

void append_little_endian(std::string& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

// Stored blocks: the fuzzer sees the tar's bytes as they are.
std::string gzip_of(std::string_view tar) {
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  boost::crc_32_type crc;
  crc.process_bytes(tar.data(), tar.size());
  const auto size = static_cast<std::uint32_t>(tar.size());
  do {
    const std::string_view block = tar.substr(0, 0xffff);
    tar.remove_prefix(block.size());
    out += tar.empty() ? '\x01' : '\0';
    append_little_endian(out, static_cast<std::uint32_t>(block.size()), 2);
    append_little_endian(out, ~static_cast<std::uint32_t>(block.size()), 2);
    out += block;
  } while (!tar.empty());
  append_little_endian(out, crc.checksum(), 4);
  append_little_endian(out, size, 4);
  return out;
}

}  // namespace

// What is unpacked stays within the limit, and packs and unpacks again as it was.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::uint64_t kMost = 1 << 16;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto entries = det::unpack_tgz(data[0] % 2 == 0 ? gzip_of(rest) : std::string(rest), kMost);
  if (!entries) return 0;
  std::uint64_t content = 0;
  for (const auto& entry : *entries) content += entry.content.size();
  if (content > kMost) std::abort();
  const auto packed = det::pack_tgz(*entries);
  if (!packed) return 0;  // a path that climbs out
  const auto again = det::unpack_tgz(*packed, kMost);
  if (!again || again->size() != entries->size()) std::abort();
  return 0;
}
