#include "base/yaml.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <yaml-cpp/yaml.h>
#include <nlohmann/json.hpp>
// The event interface is not part of yaml.h.
#include <yaml-cpp/eventhandler.h>

#include "base/encoding.h"
#include "base/yaml_scalar.h"

namespace det {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxText = 8U << 20U;
constexpr std::size_t kMaxDepth = 100;
constexpr std::size_t kMaxCopiedValues = 200'000;
constexpr std::size_t kMaxCopiedBytes = 8U << 20U;
constexpr int kMaxKey = 1024;  // characters; YAML's own bound

// How much a value costs to copy.
struct Weight {
  std::size_t values = 0;
  std::size_t bytes = 0;
};

struct Anchored {
  json value;
  Weight weight;
  std::size_t height = 0;
};

// A list or mapping that is still open.
struct Frame {
  json value;
  YAML::anchor_t anchor = 0;
  Weight before;
  std::size_t height = 1;
  std::optional<std::string> key;
  bool key_is_merge = false;
  std::vector<json> merged;
};

[[noreturn]] void refuse(const YAML::Mark& mark, const std::string& why) {
  throw YAML::ParserException(mark, why);
}

bool is_default_tag(const std::string& tag, std::string_view kind) {
  return tag.empty() || tag == "?" || tag == "!" || tag == "tag:yaml.org,2002:" + std::string(kind);
}

// yaml-cpp makes a byte of Latin-1 of the escapes \N (next line) and \_ (space that does not break), where UTF-8 has
// two.
std::string as_utf8(const std::string& text) {
  if (is_valid_utf8(text)) return text;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (bytes == 0) out += '\xc2';
    out += text.substr(at, std::max<std::size_t>(bytes, 1));
    at += std::max<std::size_t>(bytes, 1);
  }
  return out;
}

// Builds the JSON value from the parser's events. Throws YAML::ParserException, which parse_yaml catches.
class JsonBuilder final : public YAML::EventHandler {
 public:
  json take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (wants_key()) refuse(mark, "a key is missing, null or longer than 1,024 characters");
    finish(mark, json(nullptr), anchor, {.values = 1, .bytes = 0}, 0);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto it = anchors_.find(anchor);
    if (it == anchors_.end()) refuse(mark, "an alias stands inside the value it names");
    const Anchored& source = it->second;
    copied(mark, source.weight);
    if (open_.size() + source.height > kMaxDepth) refuse(mark, "nested deeper than 100 levels");
    if (wants_key()) {
      if (!source.value.is_string()) refuse(mark, "a key must be text");
      take_key(mark, source.value.get<std::string>(), false);
      return;
    }
    finish(mark, json(source.value), 0, source.weight, source.height);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const std::string text = as_utf8(value);
    if (wants_key()) {
      if (anchor != 0) remember(mark, anchor, json(text), {.values = 1, .bytes = text.size()}, 0);
      take_key(mark, text, tag == "?" && text == "<<");
      return;
    }
    finish(mark, scalar(mark, tag, text), anchor, {.values = 1, .bytes = text.size()}, 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    if (!is_default_tag(tag, "seq")) refuse(mark, "the tag " + tag + " is not known");
    open(mark, json::array(), anchor);
  }

  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    if (!is_default_tag(tag, "map")) refuse(mark, "the tag " + tag + " is not known");
    open(mark, json::object(), anchor);
  }

  void OnMapEnd() override {
    Frame& frame = open_.back();
    for (json& source : frame.merged) {
      for (auto& [key, value] : source.items()) {
        if (!frame.value.contains(key)) frame.value[key] = std::move(value);
      }
    }
    close();
  }

 private:
  [[nodiscard]] bool wants_key() const {
    return !open_.empty() && open_.back().value.is_object() && !open_.back().key.has_value();
  }

  void take_key(const YAML::Mark& mark, std::string key, bool is_merge) {
    Frame& frame = open_.back();
    if (!is_merge && frame.value.contains(key)) refuse(mark, "the key \"" + key + "\" is used twice");
    total_.bytes += key.size();
    frame.key = std::move(key);
    frame.key_is_merge = is_merge;
  }

  static json scalar(const YAML::Mark& mark, const std::string& tag, const std::string& text) {
    if (tag == "!" || tag == "tag:yaml.org,2002:str") return text;
    const bool is_plain = tag.empty() || tag == "?";
    auto value = resolve_plain_scalar(text);
    if (!value) refuse(mark, value.error().message);
    if (is_plain) return *std::move(value);
    const bool fits = (is_default_tag(tag, "int") && value->is_number_integer()) ||
                      (is_default_tag(tag, "float") && value->is_number()) ||
                      (is_default_tag(tag, "bool") && value->is_boolean()) ||
                      (is_default_tag(tag, "null") && value->is_null());
    if (!fits) refuse(mark, "the tag " + tag + " is not known or does not fit \"" + text + "\"");
    return *std::move(value);
  }

  void open(const YAML::Mark& mark, json value, YAML::anchor_t anchor) {
    if (wants_key()) refuse(mark, "a key must be text");
    if (open_.size() >= kMaxDepth) refuse(mark, "nested deeper than 100 levels");
    mark_ = mark;
    Frame frame;
    frame.value = std::move(value);
    frame.anchor = anchor;
    frame.before = total_;
    open_.push_back(std::move(frame));
  }

  void close() {
    Frame frame = std::move(open_.back());
    open_.pop_back();
    const Weight weight{.values = total_.values - frame.before.values + 1, .bytes = total_.bytes - frame.before.bytes};
    total_ = frame.before;
    finish(mark_, std::move(frame.value), frame.anchor, weight, frame.height);
  }

  // A complete value goes to where it belongs.
  void finish(const YAML::Mark& mark, json value, YAML::anchor_t anchor, Weight weight, std::size_t height) {
    mark_ = mark;
    total_.values += weight.values;
    total_.bytes += weight.bytes;
    if (anchor != 0) remember(mark, anchor, value, weight, height);
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Frame& frame = open_.back();
    frame.height = std::max(frame.height, height + 1);
    if (frame.value.is_array()) {
      frame.value.push_back(std::move(value));
    } else if (frame.key_is_merge) {
      take_merge(mark, frame, std::move(value));
    } else {
      frame.value[*frame.key] = std::move(value);
    }
    frame.key.reset();
    frame.key_is_merge = false;
  }

  static void take_merge(const YAML::Mark& mark, Frame& frame, json value) {
    if (value.is_object()) value = json::array({std::move(value)});
    const bool is_maps =
        value.is_array() && std::all_of(value.begin(), value.end(), [](const json& item) { return item.is_object(); });
    if (!is_maps) refuse(mark, "map merge (<<) requires a mapping or a list of mappings");
    for (json& source : value) frame.merged.push_back(std::move(source));
  }

  void remember(const YAML::Mark& mark, YAML::anchor_t anchor, const json& value, Weight weight, std::size_t height) {
    copied(mark, weight);
    anchors_[anchor] = Anchored{.value = value, .weight = weight, .height = height};
  }

  void copied(const YAML::Mark& mark, Weight weight) {
    copied_.values += weight.values;
    copied_.bytes += weight.bytes;
    if (copied_.values > kMaxCopiedValues || copied_.bytes > kMaxCopiedBytes) {
      refuse(mark, "the document contains excessive aliasing");
    }
  }

  json root_;
  std::vector<Frame> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  Weight total_;
  Weight copied_;
  YAML::Mark mark_;
};

// The `number`-th line, from 0.
std::string_view line_of(std::string_view text, int number) {
  for (; number > 0 && !text.empty(); --number) {
    const std::size_t end = text.find('\n');
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

// What the library's words for a slip do not say.
std::string cure_of(const YAML::Exception& error, std::string_view text) {
  if (error.mark.is_null()) return {};
  const std::string_view line = line_of(text, error.mark.line);
  const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
  if (line.substr(0, indent).find('\t') != std::string_view::npos) return "; it is indented with a tab: use spaces";
  const std::string_view what = error.msg;
  if (what == "end of sequence flow not found") return "; a \"[\" is never closed";
  if (what == "end of map flow not found") return "; a \"{\" is never closed";
  if (what == "illegal flow end") return "; a closing bracket has no opening one of its kind";
  if (what == "illegal map value") {
    return std::string("; a text that holds \": \" belongs in quotation marks") +
           (error.mark.column > kMaxKey ? ", and a key has at most 1,024 characters" : "");
  }
  return {};
}

std::unexpected<Error> syntax_error(const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, "yaml: " + what);
}

}  // namespace

Result<json> parse_yaml(std::string_view text) {
  if (text.size() > kMaxText) return syntax_error("the document is larger than 8 MiB");
  if (!is_valid_utf8(text)) return syntax_error("the document is not UTF-8 text");
  if (text.find('\0') != std::string_view::npos) return syntax_error("the document contains a NUL character");
  try {
    std::istringstream input{std::string(text)};
    YAML::Parser parser(input);
    JsonBuilder builder;
    if (!parser.HandleNextDocument(builder)) return json(nullptr);
    JsonBuilder rest;
    if (parser.HandleNextDocument(rest)) {
      return syntax_error("there is more than one document; only one can be read");
    }
    return builder.take();
  } catch (const YAML::Exception& error) {
    const std::string line = error.mark.is_null() ? "" : "line " + std::to_string(error.mark.line + 1) + ": ";
    return syntax_error(line + error.msg + cure_of(error, text));
  } catch (const std::exception& error) {
    return syntax_error(error.what());
  }
}

}  // namespace det
