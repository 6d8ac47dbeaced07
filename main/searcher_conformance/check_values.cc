// Recorded values: the generator, sampling, grids, the arithmetic of halving.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "main/searcher_conformance/checks.h"
#include "model/expconf/experiment_config.h"
#include "searcher/bracket_plan.h"
#include "searcher/go_math.h"
#include "searcher/grid_points.h"
#include "searcher/make_search.h"
#include "searcher/prng.h"
#include "searcher/sample.h"
#include "searcher/simulate.h"

namespace det::conformance {
namespace {

using nlohmann::json;
using searcher::Prng;

std::uint64_t bits_of(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

// {"v": x, "bits": "hex16"}: the pattern counts; a plain number is taken as it is.
std::uint64_t recorded_bits(const json& value) {
  if (value.is_number()) return bits_of(value.get<double>());
  return std::stoull(value.at("bits").get<std::string>(), nullptr, 16);
}

// 64-bit integers are strings.
std::int64_t integer(const json& value) {
  return value.is_string() ? std::stoll(value.get<std::string>()) : value.get<std::int64_t>();
}

void expect_double(Report& report, const std::string& what, const json& expected, double got) {
  const std::uint64_t bits = recorded_bits(expected);
  if (bits == bits_of(got)) return report.expect(what, true, true);
  report.expect(what, expected, json{{"v", got}, {"bits", hex_encode(std::to_string(bits_of(got)))}});
}

void check_words(const json& record, std::uint32_t seed, Report& report) {
  Prng words(seed);
  for (const json& word : list(record, "bits32")) report.expect("bits32", word, words.bits32());
  if (record.contains("bits32_after_2000")) {
    Prng later(seed);
    for (int i = 0; i < 2000; ++i) later.bits32();
    for (const json& word : record.at("bits32_after_2000")) report.expect("bits32_after_2000", word, later.bits32());
    const json state = later.to_json();
    report.expect("state_pos_after_2005", record.at("state_pos_after_2005"), state.at("pos"));
    report.expect("state_key0_after_2005", record.at("state_key0_after_2005"), state.at("key").at(0));
    report.expect("state_key623_after_2005", record.at("state_key623_after_2005"), state.at("key").at(623));
  }
  Prng wide(seed);
  for (const json& word : list(record, "bits64")) {
    report.expect("bits64", word, std::to_string(wide.bits64()));
  }
  const json fresh = Prng(seed).to_json();
  if (record.contains("initial_pos")) report.expect("initial_pos", record.at("initial_pos"), fresh.at("pos"));
  const json& head = list(record, "initial_key_head");
  const json& tail = list(record, "initial_key_tail");
  for (std::size_t i = 0; i < head.size(); ++i) report.expect("initial_key_head", head[i], fresh.at("key").at(i));
  for (std::size_t i = 0; i < tail.size(); ++i) {
    report.expect("initial_key_tail", tail[i], fresh.at("key").at(624 - tail.size() + i));
  }
}

void check_draws(const json& record, std::uint32_t seed, Report& report) {
  for (const json& entry : list(record, "int64n")) {
    Prng prng(seed);
    for (const json& draw : entry.at("draws")) {
      report.expect("int64n", draw, std::to_string(prng.below(integer(entry.at("n")))));
    }
    report.expect("int64n next_bits32", entry.at("next_bits32"), prng.bits32());
  }
  for (const json& entry : list(record, "int64_range")) {
    Prng prng(seed);
    for (const json& draw : entry.at("draws")) {
      const std::int64_t got = prng.between(integer(entry.at("low")), integer(entry.at("high")));
      report.expect("int64_range", draw, std::to_string(got));
    }
    report.expect("int64_range next_bits32", entry.at("next_bits32"), prng.bits32());
  }
  Prng unit(seed);
  for (const json& draw : list(record, "unit_interval")) {
    expect_double(report, "unit_interval", draw, unit.unit_interval());
  }
  for (const json& entry : list(record, "uniform")) {
    Prng prng(seed);
    for (const json& draw : entry.at("draws")) {
      const double got = prng.uniform(entry.at("low").get<double>(), entry.at("high").get<double>());
      expect_double(report, "uniform", draw, got);
    }
  }
}

void check_ids(const json& record, std::uint32_t seed, Report& report) {
  if (record.contains("read_5_3_16_hex")) {
    Prng prng(seed);
    const json& reads = record.at("read_5_3_16_hex");
    const std::size_t sizes[] = {5, 3, 16};
    for (std::size_t i = 0; i < 3; ++i) report.expect("read", reads.at(i), hex_encode(prng.read(sizes[i])));
    report.expect("after_read_next_bits32", record.at("after_read_next_bits32"), prng.bits32());
  }
  Prng ids(seed);
  for (const json& id : list(record, "request_ids")) {
    report.expect("request_ids", id, to_string(searcher::draw_request_id(ids)));
  }
  Prng creates(seed);
  for (const json& create : list(record, "creates_without_hparams")) {
    report.expect("create request_id", create.at("request_id"), to_string(searcher::draw_request_id(creates)));
    report.expect("create trial_seed", create.at("trial_seed"), searcher::draw_trial_seed(creates));
  }
}

}  // namespace

void check_prng(const json& record, Report& report) {
  const auto seed = record.at("seed").get<std::uint32_t>();
  check_words(record, seed, report);
  check_draws(record, seed, report);
  check_ids(record, seed, report);
}

void check_hparam_samples(const json& record, Report& report) {
  const json space = normalised(record.at("hyperparameters"));
  Prng prng(record.at("seed").get<std::uint32_t>());
  std::size_t i = 0;
  for (const json& sample : record.at("samples")) {
    report.expect("sample " + std::to_string(++i), sample, searcher::sample_hyperparameters(space, prng));
  }
  report.expect("next_bits32", record.at("next_bits32"), prng.bits32());
}

void check_nested_unordered(const json& record, Report& report) {
  Prng prng(record.at("seed").get<std::uint32_t>());
  const json sample = searcher::sample_hyperparameters(normalised(record.at("hyperparameters")), prng);
  const json got = {{"sample", sample}, {"next_bits32", prng.bits32()}};
  const json& possible = record.at("possible_first_samples");
  report.expect_true("the sample is one of upstream's outcomes",
                     std::find(possible.begin(), possible.end(), got) != possible.end(), got);
}

void check_grid(const json& record, Report& report) {
  const auto points = searcher::GridPoints::of(normalised(record.at("hyperparameters")));
  if (!points) return report.fail("grid", points.error().message);
  report.expect("count", record.at("grid").size(), points->size());
  for (std::int64_t i = 0; i < std::min<std::int64_t>(points->size(), std::ssize(record.at("grid"))); ++i) {
    report.expect("point " + std::to_string(i), record.at("grid").at(static_cast<std::size_t>(i)), points->at(i));
  }
}

void check_rungs(const json& record, Report& report) {
  report.expect("units", record.at("units"),
                searcher::rung_units(record.at("num_rungs").get<std::int64_t>(), record.at("divisor").get<double>(),
                                     record.at("max_time").get<std::int64_t>()));
}

void check_brackets(const json& record, Report& report) {
  const auto config = model::read_searcher_config(record.at("searcher"));
  if (!config) return report.fail("searcher", config.error().message);
  const auto groups = searcher::simulate(*config, normalised(record.value("hyperparameters", json::object())), 0);
  if (!groups) return report.fail("preview_trials", groups.error().message);
  json preview = json::array();
  for (const auto& group : *groups) {
    json each = {{"count", group.count}, {"max_length", group.is_to_completion}};
    if (!group.is_to_completion) {
      each["unit"] = group.unit;
      each["units"] = group.units;
    }
    preview.push_back(std::move(each));
  }
  report.expect("preview_trials", record.at("preview_trials"), preview);
  const json& brackets = list(record, "brackets");
  if (brackets.empty()) return;
  const std::int64_t max_time = config->max_time.value_or(1);
  const auto planned = searcher::brackets_of(*config, max_time);
  report.expect("number of brackets", brackets.size(), planned.size());
  for (std::size_t i = 0; i < std::min(planned.size(), brackets.size()); ++i) {
    const std::string name = "bracket " + std::to_string(i) + " ";
    report.expect(name + "num_rungs", brackets[i].at("num_rungs"), planned[i].num_rungs);
    report.expect(name + "max_trials", brackets[i].at("max_trials"), planned[i].max_trials);
    report.expect(name + "max_concurrent_trials", brackets[i].at("max_concurrent_trials"), planned[i].max_concurrent);
    report.expect(name + "rung_units", brackets[i].at("rung_units"),
                  searcher::rung_units(planned[i].num_rungs, config->divisor, max_time));
  }
}

void check_go_math(const json& record, Report& report) {
  for (const json& entry : list(record, "pow")) {
    const auto base = entry.at("base").get<double>();
    const auto exponent = entry.at("exp").get<double>();
    const std::string what = entry.at("base").dump() + "^" + entry.at("exp").dump();
    expect_double(report, "pow " + what, entry.at("pow"), searcher::go_pow(base, exponent));
    if (entry.contains("log_base")) {
      expect_double(report, "log of " + entry.at("base").dump(), entry.at("log_base"), searcher::go_log(base));
    }
  }
  for (const json& entry : list(record, "log_ratio")) {
    const double ratio =
        searcher::go_log(entry.at("n").get<double>()) / searcher::go_log(entry.at("divisor").get<double>());
    const std::string what = "log(" + entry.at("n").dump() + ")/log(" + entry.at("divisor").dump() + ")";
    expect_double(report, what, entry.at("ratio"), ratio);
    report.expect(what + " rungs", entry.at("rungs"), static_cast<std::int64_t>(ratio) + 1);
  }
}

}  // namespace det::conformance
