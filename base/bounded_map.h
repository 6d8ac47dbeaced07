#pragma once

// A map that holds so many entries and no more: a further one takes the place of the one that was asked for longest
// ago. For what is remembered and can be found out again. Not thread safe.

#include <cstddef>
#include <functional>
#include <list>
#include <unordered_map>
#include <utility>

namespace det {

template <typename Key, typename Value, typename Hash = std::hash<Key>>
class BoundedMap {
 public:
  // `capacity` of 0 counts as 1.
  explicit BoundedMap(std::size_t capacity) : capacity_(capacity == 0 ? 1 : capacity) {}
  BoundedMap(const BoundedMap&) = delete;  // its index points into its own list
  BoundedMap& operator=(const BoundedMap&) = delete;

  // Null when it is not there. Counts as use. Good until the entry is erased or another one is put in.
  [[nodiscard]] Value* find(const Key& key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->second;
  }

  // In place of what the key had.
  Value& put(const Key& key, Value value) {
    if (Value* held = find(key)) return *held = std::move(value);
    if (index_.size() >= capacity_) {
      index_.erase(entries_.back().first);
      entries_.pop_back();
    }
    entries_.emplace_front(key, std::move(value));
    index_.emplace(key, entries_.begin());
    return entries_.front().second;
  }

  void erase(const Key& key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return;
    entries_.erase(found->second);
    index_.erase(found);
  }

  // `matches(key, value)` may change the value.
  template <typename Predicate>
  void erase_if(Predicate matches) {
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      if (matches(std::as_const(entry->first), entry->second)) {
        index_.erase(entry->first);
        entry = entries_.erase(entry);
      } else {
        ++entry;
      }
    }
  }

  // `change(key, value)` for each, the latest used first. Does not count as use.
  template <typename Change>
  void for_each(Change change) {
    for (auto& [key, value] : entries_) change(std::as_const(key), value);
  }

  void clear() {
    index_.clear();
    entries_.clear();
  }

  [[nodiscard]] std::size_t size() const { return index_.size(); }

 private:
  using Entries = std::list<std::pair<const Key, Value>>;

  std::size_t capacity_;
  Entries entries_;  // the latest used first
  std::unordered_map<Key, typename Entries::iterator, Hash> index_;
};

}  // namespace det
