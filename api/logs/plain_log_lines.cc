#include "api/logs/plain_log_lines.h"

#include "api/plain_json.h"

namespace det::api {

namespace {

using simdjson::dom::element;

constexpr std::array<PlainName, 1> kBody{{{"logs", "logs"}}};
constexpr std::array<PlainName, 10> kLine{{{"log", "log"},
                                           {"timestamp", "timestamp"},
                                           {"level", "level"},
                                           {"stdtype", "stdtype"},
                                           {"allocationId", "allocation_id"},
                                           {"containerId", "container_id"},
                                           {"agentId", "agent_id"},
                                           {"source", "source"},
                                           {"rankId", "rank_id"},
                                           {"taskId", "task_id"}}};

bool take_line(element from, WallTime now, PostedLines& posted) {
  const auto fields = plain_fields(from, kLine);
  if (!fields) return false;
  PostedFields line;
  std::string_view* const texts[] = {&line.log,           &line.timestamp,    &line.level,    &line.stdtype,
                                     &line.allocation_id, &line.container_id, &line.agent_id, &line.source};
  for (std::size_t i = 0; i < std::size(texts); ++i) {
    if (!read_plain((*fields)[i], *texts[i])) return false;
  }
  std::int64_t rank = 0;
  std::string_view task;
  if (!read_plain((*fields)[8], rank) || !(*fields)[9] || !read_plain((*fields)[9], task)) return false;
  if (task.contains('\0')) return false;
  if ((*fields)[8]) line.rank = rank;
  if (posted.lines.empty()) posted.task_id = task;
  if (task != posted.task_id) return false;
  add_line(line, now, posted.lines);
  return true;
}

}  // namespace

std::optional<PostedLines> read_plain_lines(std::string_view body, WallTime now) {
  simdjson::dom::parser parser;
  element root;
  if (!parse_plain(parser, body, root)) return std::nullopt;
  const auto fields = plain_fields(root, kBody);
  simdjson::dom::array logs;
  if (!fields || !(*fields)[0] || (*fields)[0]->get(logs) != simdjson::SUCCESS || logs.size() == 0) return std::nullopt;
  PostedLines posted;
  posted.lines.reserve(logs.size());
  for (const element line : logs) {
    if (!take_line(line, now, posted)) return std::nullopt;
  }
  return posted;
}

}  // namespace det::api
