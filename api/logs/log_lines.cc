#include "api/logs/log_lines.h"

#include <utility>

#include "wire/enums.h"
#include "wire/request_fields.h"

namespace det::api {

namespace {

std::optional<store::LineLevel> parse_level(std::string_view word) {
  const auto level = wire::parse_log_level(word);
  if (!level) return std::nullopt;
  return static_cast<store::LineLevel>(*level);
}

std::optional<store::StdType> parse_stdtype(std::string_view word) {
  if (word == "stdout") return store::StdType::kStdout;
  if (word == "stderr") return store::StdType::kStderr;
  return std::nullopt;
}

// The beginning of `text`, of at most `most` bytes, not cut within a character.
std::string_view front_of(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  constexpr std::size_t kLongestCharacter = 4;
  std::size_t end = most;
  while (end > most - kLongestCharacter && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

// Also where the text has ends of lines within it: what they separate stays whole.
std::string_view first_piece(std::string_view text) {
  if (text.size() <= kLongestLine + (text.ends_with('\n') ? 1 : 0)) return text;
  const std::string_view piece = front_of(text, kLongestLine);
  const auto end = piece.rfind('\n');
  return end == std::string_view::npos ? piece : piece.substr(0, end + 1);
}

// What is wrong is left out: a log must not be lost over a detail.
PostedFields read_details(wire::RequestFields fields) {
  const auto text = [&fields](std::string_view name) { return fields.raw_string(name).value_or(""); };
  return {.log = {},
          .timestamp = text("timestamp"),
          .level = text("level"),
          .stdtype = text("stdtype"),
          .allocation_id = text("allocationId"),
          .container_id = text("containerId"),
          .agent_id = text("agentId"),
          .source = text("source"),
          .rank = fields.integer("rankId")};
}

// Lenient about everything that is not the line itself.
store::LogLine make_line(const PostedFields& fields, WallTime now) {
  constexpr std::size_t kLongestName = 1024;
  store::LogLine line;
  line.text.reserve(fields.log.size() + 1);
  line.text = fields.log;
  if (!line.text.ends_with('\n')) line.text.push_back('\n');
  line.time = parse_rfc3339(fields.timestamp).value_or(now);
  line.level = parse_level(fields.level).value_or(store::LineLevel::kUnspecified);
  line.stdtype = parse_stdtype(fields.stdtype).value_or(store::StdType::kNone);
  if (fields.rank && *fields.rank >= 0 && *fields.rank < 1'000'000) line.rank = static_cast<int>(*fields.rank);
  line.allocation_id = front_of(fields.allocation_id, kLongestName);
  line.container_id = front_of(fields.container_id, kLongestName);
  line.agent_id = front_of(fields.agent_id, kLongestName);
  line.source = front_of(fields.source, kLongestName);
  // What is found in a log names its node in a table, whose texts have none.
  for (std::string* name : {&line.allocation_id, &line.container_id, &line.agent_id, &line.source}) {
    std::erase(*name, '\0');
  }
  return line;
}

}  // namespace

void add_line(const PostedFields& fields, WallTime now, std::vector<store::LogLine>& lines) {
  PostedFields piece = fields;
  piece.log = first_piece(fields.log);
  lines.push_back(make_line(piece, now));
  for (std::string_view rest = fields.log.substr(piece.log.size()); !rest.empty();
       rest.remove_prefix(piece.log.size())) {
    piece.log = first_piece(rest);
    lines.push_back(make_line(piece, now));
  }
}

Result<PostedLines> read_posted_lines(const wire::Json& body, WallTime now) {
  const wire::RequestFields fields(body);
  const wire::Json* const logs = fields.any("logs");
  if (logs == nullptr || !logs->is_array() || logs->empty()) {
    return fail(ErrorCode::kInvalidArgument, "logs: expected a list of at least one line", "logs");
  }
  PostedLines posted;
  posted.lines.reserve(logs->size());
  for (std::size_t i = 0; i < logs->size(); ++i) {
    const std::string path = "logs[" + std::to_string(i) + "].";
    wire::RequestFields line((*logs)[i], path);
    line.require("taskId");
    const std::string task = line.string("taskId").value_or("");
    PostedFields posted_line = read_details(line);
    posted_line.log = line.raw_string("log").value_or("");
    DET_TRY(line.status());
    add_line(posted_line, now, posted.lines);
    if (i == 0) posted.task_id = task;
    if (task != posted.task_id) {
      return fail(ErrorCode::kInvalidArgument,
                  path + "taskId: '" + task + "' differs from the first line's '" + posted.task_id +
                      "'; one post holds the lines of one task",
                  path + "taskId");
    }
  }
  return posted;
}

Result<wire::Json> parse_log_body(std::string_view body) {
  auto json = wire::parse_any_body(body);
  if (json || !body.contains("\\u")) return json;
  return wire::parse_any_body(wire::replace_lone_surrogates(body));
}

Result<LogRequest> read_log_request(const http::Params& params, std::string task_id) {
  QueryArguments arguments(params);
  LogRequest request;
  request.follow = arguments.boolean("follow").value_or(false);
  store::LogQuery& query = request.query;
  query.task_id = std::move(task_id);
  query.limit = arguments.integer("limit").value_or(0);
  query.order = arguments.order().value_or(store::Order::kAscending);
  query.levels = arguments.words("levels", parse_level, "a level like LOG_LEVEL_INFO");
  for (const std::int64_t rank : arguments.integers("rankIds")) {
    if (!std::in_range<int>(rank)) {
      return fail(ErrorCode::kInvalidArgument, "rankIds: " + std::to_string(rank) + " is no rank", "rankIds");
    }
    query.rank_ids.push_back(static_cast<int>(rank));
  }
  query.allocation_ids = arguments.texts("allocationIds");
  query.agent_ids = arguments.texts("agentIds");
  query.container_ids = arguments.texts("containerIds");
  query.sources = arguments.texts("sources");
  query.stdtypes = arguments.words("stdtypes", parse_stdtype, "stdout or stderr");
  query.after_id = arguments.integer("afterId").value_or(0);
  query.before_id = arguments.integer("beforeId").value_or(0);
  query.after = arguments.time("timestampAfter");
  query.before = arguments.time("timestampBefore");
  query.search_text = arguments.text("searchText").value_or("");
  query.search_is_regex = arguments.boolean("enableRegex").value_or(false);
  DET_TRY(arguments.status());
  if (query.after_id < 0) return fail(ErrorCode::kInvalidArgument, "afterId must be >= 0", "afterId");
  if (query.after_id > 0 && query.order == store::Order::kDescending) {
    return fail(ErrorCode::kInvalidArgument, "afterId cannot be specified with descending order", "afterId");
  }
  if (query.before_id < 0) return fail(ErrorCode::kInvalidArgument, "beforeId must be >= 0", "beforeId");
  if (query.before_id > 0 && query.order != store::Order::kDescending) {
    return fail(ErrorCode::kInvalidArgument, "beforeId can only be specified with descending order", "beforeId");
  }
  if (request.follow && query.order == store::Order::kDescending) {
    return fail(ErrorCode::kInvalidArgument, "follow cannot be used with descending order: new lines come at the end",
                "follow");
  }
  if (query.limit < 0) return fail(ErrorCode::kInvalidArgument, "Limit must be >= 0", "limit");
  if (query.limit > 0 && request.follow) {
    return fail(ErrorCode::kInvalidArgument, "Limit cannot be specified when following", "limit");
  }
  return request;
}

}  // namespace det::api
