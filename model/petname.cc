#include "model/petname.h"

#include <array>
#include <string_view>

namespace det::model {
namespace {

constexpr std::array<std::string_view, 32> kAdverbs = {
    "ably",     "boldly",  "brightly", "calmly",  "clearly",  "deftly", "duly",    "eagerly",
    "evenly",   "fairly",  "firmly",   "freely",  "gladly",   "gently", "happily", "keenly",
    "kindly",   "lightly", "merrily",  "mildly",  "neatly",   "nimbly", "openly",  "plainly",
    "promptly", "quickly", "quietly",  "rightly", "smoothly", "surely", "swiftly", "warmly"};
constexpr std::array<std::string_view, 32> kAdjectives = {
    "amber", "ample", "brave",  "brisk", "civil",  "clever", "cosmic", "crisp", "daring", "early", "fair",
    "fresh", "gold",  "grand",  "green", "hardy",  "humble", "jolly",  "lucid", "mellow", "noble", "patient",
    "proud", "rapid", "robust", "sharp", "silver", "steady", "sunny",  "tidy",  "vivid",  "wise"};
constexpr std::array<std::string_view, 32> kNouns = {
    "badger", "beaver", "bison",   "crane",  "cricket", "dolphin", "eagle",   "falcon",   "finch", "gecko", "heron",
    "ibex",   "jackal", "kestrel", "koala",  "lark",    "lynx",    "marten",  "marmot",   "mole",  "newt",  "otter",
    "owl",    "panda",  "plover",  "puffin", "raven",   "seal",    "sparrow", "tortoise", "trout", "wombat"};

// splitmix64: seeds that differ in one bit give unrelated words.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

}  // namespace

std::string petname(std::uint64_t seed) {
  const std::uint64_t bits = mix(seed);
  return std::string(kAdverbs[bits % 32]) + "-" + std::string(kAdjectives[bits / 32 % 32]) + "-" +
         std::string(kNouns[bits / 1024 % 32]);
}

std::string random_experiment_name(std::uint64_t seed) {
  return "Experiment (" + petname(seed) + ")";
}

}  // namespace det::model
