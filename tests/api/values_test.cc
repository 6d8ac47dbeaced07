// The pure parts of the API: arguments, errors, reports, uploads, objects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/arguments.h"
#include "api/checkpoints/checkpoint_report.h"
#include "api/error_response.h"
#include "api/experiments/context_pack.h"
#include "api/experiments/experiment_object.h"
#include "api/experiments/live_edit.h"
#include "api/logs/log_lines.h"
#include "api/searches/searcher_input.h"
#include "api/trials/report_parser.h"
#include "base/encoding.h"
#include "base/tgz.h"
#include "http/target.h"
#include "k8sclient/resource.h"

namespace det::api {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

http::Params query(const std::string& text) {
  return http::parse_target("/?" + text)->query;
}

TEST(Arguments, AreReadInBothSpellings) {
  const auto params = query("timeout_seconds=60&orderBy=ORDER_BY_DESC&archived=false&limit=5&offset=-3");
  QueryArguments arguments(params);
  EXPECT_EQ(arguments.integer("timeoutSeconds"), 60);
  EXPECT_EQ(arguments.order(), store::Order::kDescending);
  EXPECT_EQ(arguments.boolean("archived"), false);
  const store::Page page = arguments.page();
  EXPECT_EQ(page.offset, -3);
  EXPECT_EQ(page.limit, 5);
  EXPECT_TRUE(arguments.status());
}

TEST(Arguments, NameTheFirstThatIsWrong) {
  const auto params = query("limit=many&archived=maybe");
  QueryArguments arguments(params);
  EXPECT_EQ(arguments.page().limit, 0);
  EXPECT_EQ(arguments.boolean("archived"), std::nullopt);
  EXPECT_EQ(arguments.status().error().message, "limit: 'many' is not an integer");
}

TEST(Arguments, SayWhichWordsThereAre) {
  constexpr std::pair<std::string_view, int> kWords[] = {
      {"SORT_BY_UNSPECIFIED", 1}, {"SORT_BY_ID", 1}, {"SORT_BY_NAME", 2}};
  const auto params = query("a=SORT_BY_NAME&a=SORT_BY_UNSPECIFIED&b=sort_by_id");
  QueryArguments arguments(params);
  EXPECT_EQ(arguments.words("a", kWords), (std::vector{2, 1}));
  EXPECT_EQ(arguments.words("c", kWords), std::vector<int>());
  EXPECT_TRUE(arguments.status());
  EXPECT_EQ(arguments.words("b", kWords), std::vector<int>());
  EXPECT_EQ(arguments.status().error().message, "b: 'sort_by_id' is not one of SORT_BY_ID, SORT_BY_NAME");
}

TEST(LiveSettings, LiftTheLimitOfSlotsByNull) {
  const auto read = [](const wire::Json& json) { return read_live_settings(wire::RequestFields(json)).value(); };
  EXPECT_EQ(read({{"maxSlots", nullptr}}), (wire::Json{{"max_slots", 2'147'483'647}}));
  EXPECT_EQ(read({{"max_slots", 2}, {"priority", nullptr}}), (wire::Json{{"max_slots", 2}}));
  const wire::Json negative = {{"weight", -0.5}};
  EXPECT_EQ(read_live_settings(wire::RequestFields(negative)).error().message,
            "weight must be a finite number > 0, but is -0.5");
  EXPECT_EQ(read(wire::Json::object()), wire::Json::object());
}

TEST(ErrorAnswer, HasTheFormOfItsRoute) {
  http::Request request;
  const Error error{.code = ErrorCode::kResourceExhausted,
                    .message = "busy",
                    .field = "",
                    .retry_after = std::chrono::milliseconds(1500)};
  request.path = "/api/v1/me";
  const auto api = error_response(request, error);
  EXPECT_EQ(api.status, 429);
  EXPECT_EQ(api.body, R"({"error":{"code":8,"error":"busy","reason":"ResourceExhausted"}})");
  EXPECT_EQ(api.headers.find("Retry-After"), "2");
  request.path = "/info";
  EXPECT_EQ(error_response(request, error).body, R"({"message":"busy"})");
}

TEST(ErrorAnswer, TellsUnknownPathsOfTheApiFromOthers) {
  http::Request request;
  request.method = "GET";
  request.path = "/api/v1/models";
  EXPECT_EQ(unknown_path_response(request).status, 501);
  EXPECT_THAT(unknown_path_response(request).body, Not(HasSubstr("%2F")));
  request.path = "/api/v1/templates/a/b";
  EXPECT_THAT(unknown_path_response(request).body, HasSubstr("If a name in it has a slash, write %2F"));
  request.path = "/x";
  EXPECT_EQ(unknown_path_response(request).body, R"({"message":"api not found: GET /x"})");
}

TEST(Report, IsReadAsTheHarnessSendsIt) {
  const auto report = parse_report(R"({"group":"validation","metrics":{"trialId":1,"trialRunId":2,"stepsCompleted":100,
    "reportTime":null,"metrics":{"avgMetrics":{"validation_loss":0.1,"batches":100,"bad":"NaN","word":"x"},
    "batchMetrics":null}}})");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->group, "validation");
  EXPECT_EQ(report->trial_id, 1);
  EXPECT_EQ(report->run_id, 2);
  EXPECT_EQ(report->steps, 100);
  EXPECT_EQ(report->report_time, std::nullopt);
  EXPECT_EQ(report->metrics.names, (std::vector<std::string>{"bad", "batches", "validation_loss", "word"}));
  EXPECT_EQ(report->metrics.values[2], 0.1);
}

TEST(Report, OfAProfilerHasATimeInsteadOfSteps) {
  const auto report = parse_report(R"({"group":"gpu","metrics":{"trialId":1,"trialRunId":1,
    "reportTime":"2026-11-21T02:43:35.048186+00:00","metrics":{"avgMetrics":{"node1":{"gpu_util":5}}}}})");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->steps, std::nullopt);
  EXPECT_EQ(format_rfc3339_micros(report->report_time.value()), "2026-11-21T02:43:35.048186Z");
}

TEST(Report, SaysWhichFieldIsWrong) {
  const auto error = [](const char* body) { return parse_report(body).error().message; };
  EXPECT_EQ(error(R"({"metrics":{}})"), "missing argument: group");
  EXPECT_EQ(error(R"({"group":"a","metrics":{}})"), "missing argument: metrics.trialId");
  EXPECT_EQ(error(R"({"group":"a","metrics":{"trialId":1,"stepsCompleted":-1}})"),
            "metrics.stepsCompleted: -1 is not between 0 and 2147483647");
  EXPECT_EQ(error(R"({"group":"a.b","metrics":{"trialId":1}})"),
            "group: 'a.b' must be a name of up to 1000 bytes without a '.'");
  EXPECT_EQ(error(R"({"group":"a","metrics":{"trialId":1,"stepsCompleted":1,"metrics":{"avgMetrics":[1]}}})"),
            "metrics.metrics.avgMetrics: expected an object of metric names and values, got array");
}

TEST(SearcherInput, TellTheSearchersMetricAndItsTime) {
  TrialContext facts;
  facts.experiment = {3};
  facts.request_id = "r";
  facts.metric = "loss";
  facts.smaller_is_better = false;
  facts.time_metric = "batches";
  ParsedReport report;
  report.group = "validation";
  report.steps = 10;
  report.metrics = store::split_metrics({{"loss", 0.5}, {"other", 1}}, nullptr).value();
  const auto input = input_of(facts, report);
  ASSERT_TRUE(input);
  EXPECT_EQ(input->metric, 0.5);
  EXPECT_FALSE(input->smaller_is_better);
  EXPECT_EQ(input->event, json::parse(R"({"kind":"validation","request_id":"r","steps":10,
                                         "metrics":{"loss":0.5,"batches":10.0}})"));
  report.group = "training";
  EXPECT_FALSE(input_of(facts, report));
  report.group = "validation";
  facts.metric = "absent";
  EXPECT_FALSE(input_of(facts, report));
}

Result<PackedFiles> pack(const json& files) {
  const json body = {{"modelDefinition", files}};
  return pack_files(wire::RequestFields(body), "modelDefinition");
}

TEST(Upload, BecomesATarWithModesTimesAndFolders) {
  const json files = json::parse(R"([
    {"path":"sub","type":53,"content":"","mtime":"1795228856","mode":16877,"uid":0,"gid":0},
    {"path":"sub/a.txt","type":48,"content":"aGVsbG8=","mtime":1795228857,"mode":33261,"uid":0,"gid":0}])");
  const auto packed = pack(files);
  ASSERT_TRUE(packed) << packed.error().message;
  const auto entries = unpack_tgz(packed->archive, 1000).value();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].type, TarEntry::Type::kDirectory);
  EXPECT_EQ(entries[0].mode, 0755U);
  EXPECT_EQ(entries[1].content, "hello");
  EXPECT_EQ(entries[1].mode, 0755U);
  EXPECT_EQ(entries[1].mtime, 1795228857);
  EXPECT_EQ(pack(files)->archive, packed->archive);
  EXPECT_EQ(packed->sha256, sha256_hex(packed->archive));
}

TEST(Upload, OfNothingIsNoContext) {
  EXPECT_TRUE(pack(nullptr).value().empty());
  EXPECT_TRUE(pack(json::array()).value().empty());
}

TEST(Upload, SaysWhichFileIsWrong) {
  const auto error = [](const char* files) { return pack(json::parse(files)).error().message; };
  EXPECT_EQ(error(R"([{"path":"a","type":48,"content":"***"}])"),
            "modelDefinition[0].content: the content of 'a' is not base64");
  EXPECT_EQ(error(R"([{"path":"a","type":50}])"),
            "modelDefinition[0].type: 50 is neither a file (48) nor a directory (53)");
  EXPECT_EQ(error(R"([{"type":48}])"), "missing argument: modelDefinition[0].path");
  EXPECT_TRUE(error(R"([{"path":"../a","type":48,"content":""}])").starts_with("modelDefinition: "));
  EXPECT_EQ(error(R"([1])"), "modelDefinition[0]: expected an object with path, type and content");
  const json body = {{"contextDirectory", {1}}};
  EXPECT_EQ(pack_files(wire::RequestFields(body), "contextDirectory").error().field, "contextDirectory[0]");
}

TEST(ExperimentObject, CarriesWhatTheUserWroteAndTheNonce) {
  const json object = build_experiment({.name = "exp-7",
                                        .ns = "team",
                                        .nonce = "n",
                                        .controller_class = "blue",
                                        .config = {{"name", "const"}},
                                        .context_sha256 = "abc",
                                        .suspend = true});
  EXPECT_EQ(object, json::parse(R"({"apiVersion":"det-operator.dev/v1alpha1","kind":"Experiment",
    "metadata":{"name":"exp-7","namespace":"team",
      "annotations":{"det-operator.dev/nonce":"n","det-operator.dev/controller-class":"blue"}},
    "spec":{"config":{"name":"const"},"suspend":true,"context":{"stored":{"sha256":"abc"}}}})"));
}

TEST(ExperimentObject, TakesOverWhatPeopleAndToolsWroteIntoTheOneBefore) {
  const json old = json::parse(R"({
    "metadata":{"name":"exp-7","namespace":"team","uid":"u","resourceVersion":"5","generation":2,
      "labels":{"team":"vision"},
      "annotations":{"det-operator.dev/nonce":"old","det-operator.dev/controller-class":"red",
        "kubectl.kubernetes.io/last-applied-configuration":"{}"},
      "ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"1","blockOwnerDeletion":true}],
      "finalizers":["det-operator.dev/history","example.com/audit","foregroundDeletion","orphan"]},
    "spec":{"config":{"name":"before"},"suspend":true,"stop":"Kill","template":"gpu","deletionPolicy":"Delete",
      "context":{"configMap":{"name":"code"}}}})");
  const json made = build_experiment(
      {.name = "exp-7", .ns = "team", .nonce = "n", .config = {{"name", "after"}}, .context_sha256 = "abc"});
  EXPECT_EQ(take_over(made, old), json::parse(R"({"apiVersion":"det-operator.dev/v1alpha1","kind":"Experiment",
    "metadata":{"name":"exp-7","namespace":"team","labels":{"team":"vision"},
      "annotations":{"det-operator.dev/nonce":"n","kubectl.kubernetes.io/last-applied-configuration":"{}"},
      "ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"1"}],
      "finalizers":["example.com/audit"]},
    "spec":{"config":{"name":"after"},"suspend":false,"template":"gpu","context":{"configMap":{"name":"code"}}}})"));
  EXPECT_EQ(take_over(made, json()), made) << "it is gone";
}

json managed_by(const std::string& manager, const std::string& field) {
  return {{"metadata",
           {{"managedFields",
             {{{"manager", manager},
               {"operation", "Update"},
               {"fieldsV1", {{"f:spec", {{"f:" + field, json::object()}}}}}}}}}}};
}

TEST(ExperimentObject, KnowsWhoKeepsAField) {
  EXPECT_EQ(owner_of_spec_field(managed_by("argocd-controller", "suspend"), "suspend"), "argocd-controller");
  EXPECT_EQ(owner_of_spec_field(managed_by("argocd-controller", "config"), "suspend"), std::nullopt);
  for (const char* people : {"kubectl-client-side-apply", "kubectl-edit", "kubectl", "det-api", "det-operator"}) {
    EXPECT_EQ(owner_of_spec_field(managed_by(people, "suspend"), "suspend"), std::nullopt) << people;
  }
  EXPECT_EQ(owner_of_spec_field(json::object(), "suspend"), std::nullopt);
}

TEST(PostedLines, AreReadAsTheShipperSendsThem) {
  const json body = json::parse(R"({"logs":[{"timestamp":"2026-11-21T02:41:21.479498+00:00","stdtype":"stderr",
    "allocation_id":"1.aaaa.1","task_id":"1.aaaa","container_id":"pod","agent_id":"node1","source":"task",
    "level":"ERROR","rank_id":0,"log":"boom"},{"taskId":"1.aaaa","log":"next\n"}]})");
  const WallTime now = *parse_rfc3339("2026-11-21T03:00:00Z");
  const auto posted = read_posted_lines(body, now);
  ASSERT_TRUE(posted) << posted.error().message;
  EXPECT_EQ(posted->task_id, "1.aaaa");
  const store::LogLine& first = posted->lines[0];
  EXPECT_EQ(first.level, store::LineLevel::kError);
  EXPECT_EQ(first.stdtype, store::StdType::kStderr);
  EXPECT_EQ(first.rank, 0);
  EXPECT_EQ(first.text, "boom\n");
  EXPECT_EQ(posted->lines[1].time, now);
}

TEST(PostedLines, BelongToOneTask) {
  const auto error = [](const char* body) { return read_posted_lines(json::parse(body), {}).error().message; };
  EXPECT_EQ(error(R"({"logs":[]})"), "logs: expected a list of at least one line");
  EXPECT_EQ(error(R"({"logs":[{"log":"x"}]})"), "missing argument: logs[0].taskId");
  EXPECT_EQ(error(R"({"logs":[{"task_id":"a"},{"task_id":"b"}]})"),
            "logs[1].taskId: 'b' differs from the first line's 'a'; one post holds the lines of one task");
}

TEST(LogRequest, ReadsItsFilters) {
  const auto request = read_log_request(
      query("follow=true&levels=LOG_LEVEL_ERROR&levels=LOG_LEVEL_CRITICAL&rankIds=0&rankIds=-1&stdtypes=stderr"), "t");
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_TRUE(request->follow);
  EXPECT_EQ(request->query.levels.size(), 2U);
  EXPECT_EQ(request->query.rank_ids, (std::vector{0, -1}));
  EXPECT_EQ(read_log_request(query("follow=true&afterId=7"), "t")->query.after_id, 7);
  EXPECT_EQ(read_log_request(query("beforeId=7&orderBy=ORDER_BY_DESC"), "t")->query.before_id, 7);
  EXPECT_EQ(read_log_request(query("beforeId=-1"), "t").error().message, "beforeId must be >= 0");
  EXPECT_EQ(read_log_request(query("beforeId=7"), "t").error().message,
            "beforeId can only be specified with descending order");
  EXPECT_EQ(read_log_request(query("afterId=-1"), "t").error().message, "afterId must be >= 0");
  EXPECT_EQ(read_log_request(query("rankIds=4294967296"), "t").error().message, "rankIds: 4294967296 is no rank");
  EXPECT_EQ(read_log_request(query("afterId=7&orderBy=ORDER_BY_DESC"), "t").error().message,
            "afterId cannot be specified with descending order");
  EXPECT_EQ(read_log_request(query("follow=true&orderBy=ORDER_BY_DESC"), "t").error().message,
            "follow cannot be used with descending order: new lines come at the end");
  EXPECT_EQ(read_log_request(query("limit=-1"), "t").error().message, "Limit must be >= 0");
  EXPECT_EQ(read_log_request(query("limit=1&follow=true"), "t").error().message,
            "Limit cannot be specified when following");
}

TEST(CheckpointReport, IsReadAsTheHarnessSendsIt) {
  const auto row = read_checkpoint_report(json::parse(R"({"uuid":"b0341c35-8f3a-4cf2-9a4e-000000000001",
    "taskId":"1.aaaa","allocationId":"1.aaaa.1","reportTime":"2026-11-21T02:43:35.048186+00:00",
    "state":"STATE_COMPLETED","storageId":1,"metadata":{"steps_completed":3,"format":"pickle"},
    "resources":{"state":"1","d/":"0"},"training":{}})"),
                                          {});
  ASSERT_TRUE(row) << row.error().message;
  EXPECT_EQ(row->steps, 3);
  EXPECT_EQ(row->storage_id, 1);
  EXPECT_EQ(row->resources, (json{{"state", 1}, {"d/", 0}}));
  EXPECT_EQ(row->metadata["format"], "pickle");
}

TEST(CheckpointReport, NeedsItsSteps) {
  json body = {{"uuid", "b0341c35-8f3a-4cf2-9a4e-000000000001"}, {"taskId", "t"}, {"state", "STATE_COMPLETED"}};
  EXPECT_EQ(read_checkpoint_report(body, {}).error().message, "missing argument: metadata.steps_completed");
  body["metadata"] = {{"steps_completed", 1}};
  body["state"] = "DONE";
  EXPECT_EQ(read_checkpoint_report(body, {}).error().message,
            "state: 'DONE' is not a checkpoint state like STATE_COMPLETED");
  body["uuid"] = "x";
  EXPECT_EQ(read_checkpoint_report(body, {}).error().message, "uuid: 'x' is not a UUID");
}

TEST(CheckpointReport, HasNoFileThatNobodyCouldHave) {
  json body = {{"uuid", "b0341c35-8f3a-4cf2-9a4e-000000000001"},
               {"taskId", "t"},
               {"state", "STATE_COMPLETED"},
               {"metadata", {{"steps_completed", 1}}},
               {"resources", {{"a", "9223372036854775807"}}}};
  EXPECT_EQ(read_checkpoint_report(body, {}).error().message,
            "resources.a: 9223372036854775807 is larger than any file (9007199254740992 bytes at most)");
  body["resources"]["a"] = "9007199254740992";
  EXPECT_TRUE(read_checkpoint_report(body, {}));
  body["reportTime"] = "yesterday";
  EXPECT_EQ(read_checkpoint_report(body, {}).error().message,
            "reportTime: 'yesterday' is not a time like 2026-11-21T02:00:00Z");
}

TEST(CheckpointPatches, HoldTheFilesThatRemain) {
  const auto patches = read_checkpoint_patches(json::parse(R"({"checkpoints":[
    {"uuid":"b0341c35-8f3a-4cf2-9a4e-000000000001","resources":{"resources":{"a":"5"}}},
    {"uuid":"b0341c35-8f3a-4cf2-9a4e-000000000002","resources":{"resources":{}}}]})"));
  ASSERT_TRUE(patches) << patches.error().message;
  EXPECT_EQ(*patches, (store::CheckpointPatches{{"b0341c35-8f3a-4cf2-9a4e-000000000001", {{"a", 5}}},
                                                {"b0341c35-8f3a-4cf2-9a4e-000000000002", json::object()}}));
}

}  // namespace
}  // namespace det::api
