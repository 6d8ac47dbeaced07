#include "api/experiments/experiment_texts.h"

#include <cstddef>

#include "api/experiments/experiment_json.h"
#include "base/bounded_map.h"
#include "base/mutex.h"

namespace det::api {
namespace {

constexpr std::size_t kMost = 512;
constexpr std::size_t kLongest = std::size_t{32} << 10;  // bytes; longer ones are not kept

}  // namespace

struct ExperimentTexts::Memory {
  // Empty: it is not known.
  std::string find(const std::string& digest) {
    const MutexLock lock(mutex);
    const std::string* const text = texts.find(digest);
    return text == nullptr ? std::string() : *text;
  }
  void put(const std::string& digest, const std::string& text) {
    const MutexLock lock(mutex);
    texts.put(digest, text);
  }

  Mutex mutex;
  BoundedMap<std::string, std::string> texts DET_GUARDED_BY(mutex){kMost};
};

ExperimentTexts::ExperimentTexts() : memory_(std::make_unique<Memory>()) {}

ExperimentTexts::~ExperimentTexts() = default;

std::string ExperimentTexts::text_of(const ApiServices& services, const store::UnreadExperimentView& view) {
  std::string text = memory_->find(view.digest);
  if (!text.empty()) return text;
  text = wire::dump(experiment_json(services, view.read()));
  if (text.size() <= kLongest) memory_->put(view.digest, text);
  return text;
}

}  // namespace det::api
