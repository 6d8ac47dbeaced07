#include "wire/log_record.h"

#include <gtest/gtest.h>

namespace det::wire {
namespace {

std::string id_in(const std::string& container) {
  LogRecord record;
  record.container_id = container;
  record.log = "x\n";
  const std::string text = composed_message(record);
  const std::size_t begin = text.find("] ") + 2;
  return text.substr(begin, text.find(" ||") - begin);
}

TEST(LogRecord, NamesPodsByTrialRunAndRank) {
  EXPECT_EQ(id_in("fashion-mnist-7-31-1-0"), "31-1-0  ");
  EXPECT_EQ(id_in("fashion-mnist-7-12345-10-3"), "12345-10-3");
  EXPECT_EQ(id_in("notebook-2-0"), "2-0     ");
}

TEST(LogRecord, ShortensOtherIdsAsDeterminedDoes) {
  EXPECT_EQ(id_in("a1b2c3d4-0000"), "a1b2c3d4");
  EXPECT_EQ(id_in("11112222-3333-4444-5555-666677778888"), "11112222");
  EXPECT_EQ(id_in("abc"), "abc     ");
  EXPECT_EQ(id_in("1-2-3"), "2-3     ");
  EXPECT_EQ(id_in(""), "        ");
}

}  // namespace
}  // namespace det::wire
