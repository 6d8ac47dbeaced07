#pragma once

// A live copy of one collection, holding for each object only what `project` keeps of it. The list and the watch behind
// it are run by Reflector (k8sclient/reflector.h: the state machine). Belongs to the io thread; handlers run there and
// must not await.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/async.h"
#include "k8sclient/reflector.h"
#include "k8sclient/resource.h"

namespace det::k8s {

// T: what is kept of one object. Add handlers, indexes and what is carried over before run().
template <typename T>
class Informer {
 public:
  using Project = std::function<T(const nlohmann::json&)>;
  using IndexKeys = std::function<std::vector<std::string>(const T&)>;
  // What the newer state of an object keeps of the one before: what the server no longer says.
  using CarryOver = std::function<void(const T& before, T& now)>;
  // `now` is null when the object is gone. `before` is null when it is new.
  using Handler = std::function<void(const ObjectKey&, const T* before, const T* now)>;

  Informer(Client& client, Clock& clock, asio::any_io_executor executor, ReflectorOptions options, Project project);

  void add_index(std::string name, IndexKeys keys);
  void add_handler(Handler handler);
  void set_carry_over(CarryOver carry_over) { carry_over_ = std::move(carry_over); }
  // Lists, then watches, for ever; ends by cancellation.
  Task<void> run();
  // True after the first complete list.
  [[nodiscard]] bool synced() const { return synced_; }
  // Returns when synced, or false at the deadline.
  Task<bool> wait_synced(std::chrono::seconds timeout);

  // The pointer is valid until the next await.
  [[nodiscard]] const T* find(const ObjectKey& key) const;
  [[nodiscard]] std::vector<ObjectKey> keys() const;
  [[nodiscard]] std::vector<std::pair<ObjectKey, const T*>> by_index(const std::string& index,
                                                                     const std::string& value) const;
  [[nodiscard]] std::size_t size() const { return objects_.size(); }
  // Calls visit(key, object) for all of them, in no order.
  template <typename Visit>
  void each(Visit visit) const {
    for (const auto& [key, object] : objects_) visit(key, object);
  }
  [[nodiscard]] const Reflector& reflector() const { return reflector_; }

 private:
  static ObjectKey key_of(const nlohmann::json& object);
  void put(const nlohmann::json& object);
  void drop(const ObjectKey& key);
  void take_page(const std::vector<nlohmann::json>& objects);
  void end_list();
  void index(const ObjectKey& key, const T& value, bool add);

  struct Index {
    IndexKeys keys;
    std::unordered_map<std::string, std::unordered_set<ObjectKey>> values;
  };
  Reflector reflector_;
  Project project_;
  CarryOver carry_over_;
  std::unordered_map<ObjectKey, T> objects_;
  std::map<std::string, Index> indexes_;
  std::vector<Handler> handlers_;
  std::unordered_set<ObjectKey> listed_;  // by the list in progress
  bool synced_ = false;
  Signal synced_signal_;
};

}  // namespace det::k8s

#include "k8sclient/informer_impl.h"
