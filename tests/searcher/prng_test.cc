#include "searcher/prng.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "searcher/sample.h"
#include "tests/searcher/data.h"

namespace det::searcher {
namespace {

using nlohmann::json;

class RecordedPrng : public testing::Test {
 protected:
  static std::uint32_t seed_of(const json& record) { return record.at("seed").get<std::uint32_t>(); }
  static std::int64_t integer(const json& text) { return std::stoll(text.get<std::string>()); }
  const json records_ = read_whole("prng.json");
};

TEST_F(RecordedPrng, GivesTheSameWords) {
  for (const json& record : records_) {
    Prng prng(seed_of(record));
    for (const json& word : record.at("bits32")) EXPECT_EQ(prng.bits32(), word);
    Prng later(seed_of(record));
    for (int i = 0; i < 2000; ++i) later.bits32();
    for (const json& word : record.at("bits32_after_2000")) EXPECT_EQ(later.bits32(), word);
    EXPECT_EQ(later.to_json()["pos"], record.at("state_pos_after_2005"));
    EXPECT_EQ(later.to_json()["key"][0], record.at("state_key0_after_2005"));
    EXPECT_EQ(later.to_json()["key"][623], record.at("state_key623_after_2005"));
    Prng wide(seed_of(record));
    for (const json& word : record.at("bits64")) EXPECT_EQ(std::to_string(wide.bits64()), word.get<std::string>());
  }
}

TEST_F(RecordedPrng, GivesTheSameBoundedIntegersAndConsumesAsMuch) {
  for (const json& record : records_) {
    for (const json& entry : record.at("int64n")) {
      Prng prng(seed_of(record));
      for (const json& draw : entry.at("draws")) EXPECT_EQ(prng.below(integer(entry.at("n"))), integer(draw));
      EXPECT_EQ(prng.bits32(), entry.at("next_bits32")) << entry.at("n");
    }
    for (const json& entry : record.at("int64_range")) {
      Prng prng(seed_of(record));
      for (const json& draw : entry.at("draws")) {
        EXPECT_EQ(prng.between(integer(entry.at("low")), integer(entry.at("high"))), integer(draw));
      }
      EXPECT_EQ(prng.bits32(), entry.at("next_bits32"));
    }
  }
}

TEST_F(RecordedPrng, GivesTheSameDoublesToTheLastBit) {
  for (const json& record : records_) {
    Prng prng(seed_of(record));
    for (const json& draw : record.at("unit_interval")) EXPECT_EQ(prng.unit_interval(), exact(draw));
    for (const json& entry : record.at("uniform")) {
      Prng fresh(seed_of(record));
      for (const json& draw : entry.at("draws")) {
        EXPECT_EQ(fresh.uniform(entry.at("low").get<double>(), entry.at("high").get<double>()), exact(draw));
      }
    }
  }
}

TEST_F(RecordedPrng, ReadsBytesFromFreshWords) {
  for (const json& record : records_) {
    Prng prng(seed_of(record));
    const json& reads = record.at("read_5_3_16_hex");
    EXPECT_EQ(hex_encode(prng.read(5)), reads[0].get<std::string>());
    EXPECT_EQ(hex_encode(prng.read(3)), reads[1].get<std::string>());
    EXPECT_EQ(hex_encode(prng.read(16)), reads[2].get<std::string>());
    EXPECT_EQ(prng.bits32(), record.at("after_read_next_bits32"));
  }
}

TEST_F(RecordedPrng, DrawsTheSameRequestIdsAndSeeds) {
  for (const json& record : records_) {
    Prng prng(seed_of(record));
    for (const json& id : record.at("request_ids")) EXPECT_EQ(to_string(draw_request_id(prng)), id.get<std::string>());
    Prng fresh(seed_of(record));
    for (const json& create : record.at("creates_without_hparams")) {
      EXPECT_EQ(to_string(draw_request_id(fresh)), create.at("request_id").get<std::string>());
      EXPECT_EQ(draw_trial_seed(fresh), create.at("trial_seed"));
    }
  }
}

TEST(Prng, GoesOnFromItsState) {
  Prng prng(7);
  for (int i = 0; i < 1000; ++i) prng.bits32();
  Prng copy = Prng::from_json(json::parse(prng.to_json().dump())).value();
  EXPECT_EQ(copy, prng);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(copy.bits32(), prng.bits32());
}

TEST(Prng, RefusesAStateThatIsNone) {
  const json good = Prng(1).to_json();
  json short_key = good;
  short_key["key"].erase(0);
  json big_word = good;
  big_word["key"][5] = 4294967296;
  json far_position = good;
  far_position["pos"] = 625;
  for (const json& state : {json(), json::object(), short_key, big_word, far_position}) {
    EXPECT_FALSE(Prng::from_json(state));
  }
}

}  // namespace
}  // namespace det::searcher
