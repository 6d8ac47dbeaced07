#pragma once

// What a validation report tells the searcher. Pure.

#include <optional>

#include "api/trials/report_parser.h"
#include "api/trials/trial_memory.h"
#include "store/metrics/metric_report.h"

namespace det::api {

// Nothing unless it is a validation report with steps that holds the searcher's metric as a number. The event:
// {"kind":"validation","request_id":...,"steps":...,"metrics":{...},"trained":...}; its metrics are the
// searcher's metric and, where it was reported, its time metric. `trained`, where the searcher has a max_length and the
// report tells, is how far the trial is in its unit.
[[nodiscard]] std::optional<store::SearcherInput> input_of(const TrialContext& facts, const ParsedReport& report);

}  // namespace det::api
