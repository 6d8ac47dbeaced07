#include "searcher/trial_books.h"

namespace det::searcher {
namespace {

constexpr std::size_t kFirstSlots = 64;

}  // namespace

TrialBooks::TrialBooks() : slots_(kFirstSlots) {}

void TrialBooks::grow() {
  slots_.assign(slots_.size() * 2, Slot());
  for (TrialNumber trial = 0; trial < size(); ++trial)
    slots_[slot_of(id(trial))] = {.trial = trial, .tag = tag_of(hash_of(id(trial)))};
}

TrialNumber TrialBooks::enter(RequestId id) {
  std::size_t slot = slot_of(id);
  if (slots_[slot].trial != kFree) return slots_[slot].trial;
  if (trials_.size() * 2 >= slots_.size()) {
    grow();
    slot = slot_of(id);
  }
  const TrialNumber trial = size();
  slots_[slot] = {.trial = trial, .tag = tag_of(hash_of(id))};
  trials_.push_back({.id = id});
  return trial;
}

void TrialBooks::set(TrialNumber trial, Mark mark) {
  if (has(trial, mark)) return;
  trials_[trial].marks |= bit(mark);
  ++counts_[static_cast<std::size_t>(mark)];
}

void TrialBooks::set_progress(TrialNumber trial, double progress) {
  if (!trials_[trial].has_progress) ++progress_count_;
  trials_[trial].has_progress = true;
  trials_[trial].progress = progress;
}

void TrialBooks::drop_progress(TrialNumber trial) {
  if (trials_[trial].has_progress) --progress_count_;
  trials_[trial].has_progress = false;
}

std::optional<double> TrialBooks::progress(TrialNumber trial) const {
  return trials_[trial].has_progress ? std::optional(trials_[trial].progress) : std::nullopt;
}

}  // namespace det::searcher
