#pragma once

// The bodies of Informer<T>. Included by k8sclient/informer.h only.

#include <utility>

#include "base/json_get.h"
#include "k8sclient/informer.h"

namespace det::k8s {

template <typename T>
Informer<T>::Informer(Client& client, Clock& clock, asio::any_io_executor executor, ReflectorOptions options,
                      Project project)
    : reflector_(client, clock, std::move(options)),
      project_(std::move(project)),
      synced_signal_(std::move(executor)) {}

template <typename T>
void Informer<T>::add_index(std::string name, IndexKeys keys) {
  indexes_[std::move(name)].keys = std::move(keys);
}

template <typename T>
void Informer<T>::add_handler(Handler handler) {
  handlers_.push_back(std::move(handler));
}

template <typename T>
Task<void> Informer<T>::run() {
  ReflectorSink sink;
  sink.begin_list = [this] { listed_.clear(); };
  sink.take_page = [this](const std::vector<nlohmann::json>& objects) { take_page(objects); };
  sink.end_list = [this] { end_list(); };
  sink.upsert = [this](const nlohmann::json& object) { put(object); };
  sink.remove = [this](const nlohmann::json& object) { drop(key_of(object)); };
  co_await reflector_.run(std::move(sink));
}

template <typename T>
Task<bool> Informer<T>::wait_synced(std::chrono::seconds timeout) {
  const auto seen = synced_signal_.version();
  if (!synced_) co_await synced_signal_.wait(seen, timeout);
  co_return synced_;
}

template <typename T>
const T* Informer<T>::find(const ObjectKey& key) const {
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : &found->second;
}

template <typename T>
std::vector<ObjectKey> Informer<T>::keys() const {
  std::vector<ObjectKey> all;
  all.reserve(objects_.size());
  for (const auto& [key, value] : objects_) all.push_back(key);
  return all;
}

template <typename T>
std::vector<std::pair<ObjectKey, const T*>> Informer<T>::by_index(const std::string& index,
                                                                  const std::string& value) const {
  std::vector<std::pair<ObjectKey, const T*>> result;
  const auto named = indexes_.find(index);
  if (named == indexes_.end()) return result;
  const auto keys = named->second.values.find(value);
  if (keys == named->second.values.end()) return result;
  for (const auto& key : keys->second) result.emplace_back(key, find(key));
  return result;
}

template <typename T>
ObjectKey Informer<T>::key_of(const nlohmann::json& object) {
  const nlohmann::json& metadata = get_object(object, "metadata");
  return {.ns = get_string(metadata, "namespace"), .name = get_string(metadata, "name")};
}

template <typename T>
void Informer<T>::put(const nlohmann::json& object) {
  const ObjectKey key = key_of(object);
  T now = project_(object);
  std::optional<T> before;
  const auto known = objects_.find(key);
  if (known != objects_.end()) {
    if (carry_over_) carry_over_(known->second, now);
    index(key, known->second, false);
    before = std::exchange(known->second, std::move(now));
  } else {
    objects_.emplace(key, std::move(now));
  }
  index(key, objects_.at(key), true);
  for (const auto& handler : handlers_) handler(key, before ? &*before : nullptr, &objects_.at(key));
}

template <typename T>
void Informer<T>::drop(const ObjectKey& key) {
  const auto known = objects_.find(key);
  if (known == objects_.end()) return;
  const T before = std::move(known->second);
  index(key, before, false);
  objects_.erase(known);
  for (const auto& handler : handlers_) handler(key, &before, nullptr);
}

template <typename T>
void Informer<T>::take_page(const std::vector<nlohmann::json>& objects) {
  for (const auto& object : objects) {
    listed_.insert(key_of(object));
    put(object);
  }
}

template <typename T>
void Informer<T>::end_list() {
  // What vanished while nobody watched still gets its handler called.
  for (const auto& key : keys()) {
    if (!listed_.contains(key)) drop(key);
  }
  listed_ = {};
  synced_ = true;
  synced_signal_.notify_all();
}

template <typename T>
void Informer<T>::index(const ObjectKey& key, const T& value, bool add) {
  for (auto& [name, kept] : indexes_) {
    for (const auto& text : kept.keys(value)) {
      if (add) {
        kept.values[text].insert(key);
        continue;
      }
      const auto keys = kept.values.find(text);
      if (keys == kept.values.end()) continue;
      keys->second.erase(key);
      if (keys->second.empty()) kept.values.erase(keys);
    }
  }
}

}  // namespace det::k8s
