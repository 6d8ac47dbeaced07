#include "k8sclient/line_splitter.h"

namespace det::k8s {

LineSplitter::End LineSplitter::feed(std::string_view bytes, const std::function<bool(std::string_view)>& on_line) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (partial_.size() + piece.size() > max_line_) return End::kTooLong;
    if (end == std::string_view::npos) {
      partial_.append(piece);
      return End::kMore;
    }
    bytes.remove_prefix(end + 1);
    std::string joined;
    std::string_view line = piece;
    if (!partial_.empty()) {
      joined = std::move(partial_);
      partial_.clear();
      joined.append(piece);
      line = joined;
    }
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() && !on_line(line)) return End::kStopped;
  }
  return End::kMore;
}

}  // namespace det::k8s
