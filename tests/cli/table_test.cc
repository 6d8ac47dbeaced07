#include "cli/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace det::cli {
namespace {

using nlohmann::json;

// The expected texts are what tabulate 0.9 prints in its "presto" form.
TEST(Table, WithoutRowsShowsItsHeaders) {
  EXPECT_EQ(render_table({.headers = {"ID", "Name"}, .rows = {}}),
            " ID   | Name\n"
            "------+--------\n");
}

TEST(Table, PutsNumbersRightAndAlignsTheirPoints) {
  const Table table{.headers = {"ID", "Name", "Parent", "Loss", "Archived"},
                    .rows = {{1, "a", nullptr, 0.5, true}, {22, "bcd", "x", 12.25, false}}};
  EXPECT_EQ(render_table(table),
            "   ID | Name   | Parent   |   Loss | Archived\n"
            "------+--------+----------+--------+------------\n"
            "    1 | a      |          |   0.5  | True\n"
            "   22 | bcd    | x        |  12.25 | False\n");
}

TEST(Table, TakesTextsThatReadAsNumbersForNumbers) {
  const Table table{.headers = {"Num", "Int", "E"}, .rows = {{"1.5", "7", ""}, {"10", "8", "3"}, {nullptr, nullptr}}};
  EXPECT_EQ(render_table(table),
            "   Num |   Int |   E\n"
            "-------+-------+-----\n"
            "   1.5 |     7 |\n"
            "  10   |     8 |   3\n"
            "       |       |\n");
}

TEST(Table, ShowsTheLinesOfATextBelowEachOther) {
  const Table table{.headers = {"Multi", "Z"}, .rows = {{"a\nbb", "x"}, {"c", "y"}}};
  EXPECT_EQ(render_table(table),
            " Multi   | Z\n"
            "---------+-----\n"
            " a       | x\n"
            " bb      |\n"
            " c       | y\n");
}

// Unlike tabulate, which has six digits.
TEST(Table, CountsCharactersAndShortensNumbers) {
  const Table table{.headers = {"F", "U"}, .rows = {{1e-7, "\u00fc"}, {123456789.0, "abc"}, {0.9040999412536621, "x"}}};
  EXPECT_EQ(render_table(table),
            "              F | U\n"
            "----------------+-----\n"
            "         1e-07  | \u00fc\n"
            " 123456789      | abc\n"
            "         0.9041 | x\n");
}

TEST(Table, ShortensNumbersWithinObjectsForPeopleOnly) {
  const Table table{.headers = {"Metrics"}, .rows = {{{{"loss", 0.9040999412536621}, {"n", 5}}}}};
  EXPECT_EQ(render_table(table),
            " Metrics\n"
            "---------------------\n"
            " {\n"
            "     \"loss\": 0.9041,\n"
            "     \"n\": 5\n"
            " }\n");
  EXPECT_THAT(render_csv(table), testing::HasSubstr("0.9040999412536621"));
}

TEST(Table, WithOneWordAmongNumbersStandsLeft) {
  const Table table{.headers = {"Mixed", "B"}, .rows = {{1, "a"}, {"x", "b"}}};
  EXPECT_EQ(render_table(table),
            " Mixed   | B\n"
            "---------+-----\n"
            " 1       | a\n"
            " x       | b\n");
}

TEST(Csv, QuotesOnlyWhatNeedsIt) {
  const Table table{.headers = {"a", "b c"}, .rows = {{1, "x,\"y\""}, {nullptr, true}, {"two\nlines", 0.25}}};
  EXPECT_EQ(render_csv(table), "a,b c\r\n1,\"x,\"\"y\"\"\"\r\n,True\r\n\"two\nlines\",0.25\r\n");
}

}  // namespace
}  // namespace det::cli
