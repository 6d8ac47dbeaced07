#pragma once

// How many bytes of request bodies a server holds at once, in all and for one account, in memory and on disk. An eighth
// is kept for small bodies: whoever fills the rest with large ones that never end keeps no login and no report out.
// Belongs to the io thread.

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

namespace det::http {

class BodyBudget {
 public:
  struct Limits {
    std::size_t total = std::size_t{1} << 30;          // bytes
    std::size_t per_account = std::size_t{512} << 20;  // bytes
    std::size_t in_memory = std::size_t{64} << 20;     // bytes of bodies that are not on disk
    std::size_t small = std::size_t{256} << 10;        // bodies up to this size have all of it, others seven eighths
  };
  // What one request holds; given back when it goes.
  class Share {
   public:
    Share(BodyBudget& budget, std::string account) : budget_(budget), account_(std::move(account)) {}
    ~Share() { give_back(); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // The request announces a body of this length. Not called: nobody knows how much comes.
    void expect(std::size_t length) { is_small_ = length <= budget_.limits_.small; }
    // False when there is no room: nothing was taken.
    [[nodiscard]] bool grow(std::size_t bytes);
    // Of what grow() gave, these many bytes are to be in memory; false when they had better go to disk.
    [[nodiscard]] bool keep_in_memory(std::size_t bytes);
    // Now, because the request is refused and its connection lingers.
    void give_back();

   private:
    BodyBudget& budget_;
    std::string account_;
    bool is_small_ = false;
    std::size_t held_ = 0;
    std::size_t in_memory_ = 0;
  };

  explicit BodyBudget(Limits limits) : limits_(limits) {}
  [[nodiscard]] std::size_t held() const { return held_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }  // how often grow() found no room

 private:
  Limits limits_;
  std::size_t held_ = 0;
  std::size_t in_memory_ = 0;
  std::uint64_t refused_ = 0;
  std::unordered_map<std::string, std::size_t> accounts_;
};

}  // namespace det::http
