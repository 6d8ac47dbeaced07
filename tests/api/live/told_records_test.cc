#include "api/live/told_records.h"

#include <gtest/gtest.h>

namespace det::api {
namespace {

TEST(ToldRecords, WhatIsNewOrOtherHasChanged) {
  const RecordStates told = {{.id = 1, .hash = 10}, {.id = 2, .hash = 20}, {.id = 4, .hash = 40}};
  const RecordStates now = {{.id = 2, .hash = 21}, {.id = 3, .hash = 30}, {.id = 4, .hash = 40}};
  EXPECT_EQ(changed(told, now), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(key_set_text(keys_gone(keys_of(told), ids_of(now))), "1");
}

TEST(ToldRecords, WhoHeardAPartIsToldWhenItGoes) {
  const RecordStates told = {{.id = 3, .hash = 30}, {.id = 9, .hash = 90}};
  const RecordStates now = {{.id = 1, .hash = 10}, {.id = 2, .hash = 20}, {.id = 5, .hash = 50}};
  const RecordStates part = told_up_to(5, now, told);
  EXPECT_EQ(part, (RecordStates{{.id = 1, .hash = 10}, {.id = 2, .hash = 20}, {.id = 9, .hash = 90}}));
  EXPECT_EQ(key_set_text(keys_gone(keys_of(part), {1, 5})), "2,9");
  EXPECT_EQ(changed(part, now), (std::vector<std::int64_t>{5}));
}

}  // namespace
}  // namespace det::api
