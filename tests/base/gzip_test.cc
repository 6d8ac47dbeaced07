#include "base/gzip.h"

#include <gtest/gtest.h>

#include "base/archive_handle.h"

namespace det {
namespace {

std::string unpacked(const std::string& bytes) {
  const ArchiveReader reader(archive_read_new());
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_format_raw(reader.get());
  archive_entry* entry = nullptr;
  EXPECT_EQ(archive_read_open_memory(reader.get(), bytes.data(), bytes.size()), ARCHIVE_OK);
  EXPECT_EQ(archive_read_next_header(reader.get(), &entry), ARCHIVE_OK);
  std::string text(1'000'000, '\0');
  const auto size = archive_read_data(reader.get(), text.data(), text.size());
  return size < 0 ? "broken" : text.substr(0, static_cast<std::size_t>(size));
}

TEST(Gzip, IsAFileThatUnpacksToTheBytes) {
  const std::string text = std::string(200'000, 'x') + std::string("\0\xff", 2);
  const std::string packed = gzip(text).value();
  EXPECT_EQ(packed.substr(0, 3), "\x1f\x8b\x08");
  EXPECT_LT(packed.size(), 2'000U);
  EXPECT_EQ(unpacked(packed), text);
  EXPECT_EQ(gzip(text).value(), packed) << "no time of day is in it";
  EXPECT_TRUE(gzip(""));
}

}  // namespace
}  // namespace det
