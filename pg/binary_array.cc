#include "pg/binary_array.h"

#include <bit>
#include <cstring>

#include "pg/binary_value.h"

namespace det::pg {
namespace {

template <typename Unsigned>
void append_big_endian(std::string& out, Unsigned value) {
  if constexpr (std::endian::native == std::endian::little) value = std::byteswap(value);
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

// As PostgreSQL counts time.
std::int64_t micros_from_2000(WallTime time) {
  constexpr std::int64_t kMicrosTo2000 = 946'684'800'000'000;
  return time.time_since_epoch().count() - kMicrosTo2000;
}

}  // namespace

void BinaryArray::add_int4(std::int32_t value) {
  append_big_endian(body_, std::uint32_t{4});
  append_big_endian(body_, static_cast<std::uint32_t>(value));
  ++count_;
}

void BinaryArray::add_int8(std::int64_t value) {
  append_big_endian(body_, std::uint32_t{8});
  append_big_endian(body_, static_cast<std::uint64_t>(value));
  ++count_;
}

void BinaryArray::add_float8(double value) {
  add_int8(std::bit_cast<std::int64_t>(value));
}

void BinaryArray::add_bytes(std::string_view value) {
  append_big_endian(body_, static_cast<std::uint32_t>(value.size()));
  body_.append(value);
  ++count_;
}

void BinaryArray::add_time(WallTime value) {
  add_int8(micros_from_2000(value));
}

void BinaryArray::add_null() {
  append_big_endian(body_, static_cast<std::uint32_t>(-1));
  has_null_ = true;
  ++count_;
}

std::string BinaryArray::finish() const {
  std::string out;
  append_big_endian(out, static_cast<std::uint32_t>(count_ == 0 ? 0 : 1));  // dimensions
  append_big_endian(out, static_cast<std::uint32_t>(has_null_ ? 1 : 0));
  append_big_endian(out, static_cast<std::uint32_t>(element_));
  if (count_ == 0) return out;
  append_big_endian(out, static_cast<std::uint32_t>(count_));
  append_big_endian(out, std::uint32_t{1});  // lower bound
  return out + body_;
}

std::string int4_value(std::int32_t value) {
  std::string out;
  append_big_endian(out, static_cast<std::uint32_t>(value));
  return out;
}

std::string int8_value(std::int64_t value) {
  std::string out;
  append_big_endian(out, static_cast<std::uint64_t>(value));
  return out;
}

std::string time_value(WallTime value) {
  return int8_value(micros_from_2000(value));
}

}  // namespace det::pg
