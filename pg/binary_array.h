#pragma once

// One-dimensional arrays in PostgreSQL's binary format, for unnest(). Pure; any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace det::pg {

class BinaryArray {
 public:
  // Element types, by their fixed OIDs.
  enum class Element : std::uint32_t {
    kBytea = 17,
    kInt8 = 20,
    kInt4 = 23,
    kText = 25,
    kFloat8 = 701,
    kTimestamptz = 1184,
  };
  explicit BinaryArray(Element element) : element_(element) {}

  // The caller adds what the element type is.
  void add_int4(std::int32_t value);
  void add_int8(std::int64_t value);
  void add_float8(double value);
  void add_bytes(std::string_view value);  // text, bytea
  void add_time(WallTime value);
  void add_null();

  [[nodiscard]] std::int32_t size() const { return count_; }
  [[nodiscard]] std::string finish() const;

 private:
  Element element_;
  std::int32_t count_ = 0;
  bool has_null_ = false;
  std::string body_;
};

}  // namespace det::pg
