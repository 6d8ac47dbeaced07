#pragma once

// Experiments as lists write them. Those that did not change since somebody asked for them are written already: reading
// and writing configurations is most of what such a list costs. Thread safe.

#include <memory>
#include <string>

#include "api/services.h"
#include "store/experiments/experiment_rows.h"

namespace det::api {

class ExperimentTexts {
 public:
  ExperimentTexts();
  ~ExperimentTexts();
  ExperimentTexts(const ExperimentTexts&) = delete;
  ExperimentTexts& operator=(const ExperimentTexts&) = delete;

  // experiment_json() as text.
  [[nodiscard]] std::string text_of(const ApiServices& services, const store::UnreadExperimentView& view);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace det::api
