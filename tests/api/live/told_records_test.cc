#include "api/live/told_records.h"

#include <gtest/gtest.h>

namespace det::api {
namespace {

TEST(ToldRecords, WhatIsNewOrOtherHasChanged) {
  const RecordStates told = {{.id = 1, .version = 10}, {.id = 2, .version = 20}, {.id = 4, .version = 40}};
  const RecordStates now = {{.id = 2, .version = 21}, {.id = 3, .version = 30}, {.id = 4, .version = 40}};
  EXPECT_EQ(changed(told, now), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(key_set_text(keys_gone(keys_of(told), ids_of(now))), "1");
}

TEST(ToldRecords, WhoHeardAPartIsToldWhenItGoes) {
  const RecordStates told = {{.id = 3, .version = 30}, {.id = 9, .version = 90}};
  const RecordStates now = {{.id = 1, .version = 10}, {.id = 2, .version = 20}, {.id = 5, .version = 50}};
  const RecordStates part = told_up_to(5, now, told);
  EXPECT_EQ(part, (RecordStates{{.id = 1, .version = 10}, {.id = 2, .version = 20}, {.id = 9, .version = 90}}));
  EXPECT_EQ(key_set_text(keys_gone(keys_of(part), {1, 5})), "2,9");
  EXPECT_EQ(changed(part, now), (std::vector<std::int64_t>{5}));
}

}  // namespace
}  // namespace det::api
