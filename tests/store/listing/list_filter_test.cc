#include "store/listing/list_filter.h"

#include <gmock/gmock.h>

namespace det::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string field(const std::string& rest) {
  return R"({"filterGroup":{"kind":"group","conjunction":"and","children":[{"kind":"field",)" + rest + "}]}}";
}

FilterField only_field(const std::string& rest) {
  const auto filter = parse_list_filter(field(rest));
  EXPECT_TRUE(filter) << (filter ? "" : filter.error().message);
  if (!filter || filter->root.children.size() != 1 || !filter->root.children[0].field) return {};
  return *filter->root.children[0].field;
}

std::string refusal(const std::string& text) {
  const auto filter = parse_list_filter(text);
  return filter ? "taken" : filter.error().message;
}

TEST(ListFilter, ReadsGroupsInGroups) {
  const auto filter =
      parse_list_filter(R"({"filterGroup":{"kind":"group","conjunction":"or","children":[)"
                        R"({"kind":"group","conjunction":"and","children":[]},)"
                        R"({"kind":"field","columnName":"id","operator":">","value":"3"}]},"showArchived":true})");
  ASSERT_TRUE(filter) << filter.error().message;
  EXPECT_TRUE(filter->shows_archived);
  EXPECT_TRUE(filter->root.is_any);
  ASSERT_EQ(filter->root.children.size(), 2u);
  EXPECT_TRUE(filter->root.children[0].children.empty());
  EXPECT_EQ(filter->root.children[1].field->value, FilterValue(std::int64_t{3}));
}

TEST(ListFilter, TakesEachKindOfColumnAtItsWord) {
  const FilterField metric = only_field(
      R"("location":"LOCATION_TYPE_VALIDATIONS","columnName":"validation.a.b.mean","operator":"<=","value":0.5)");
  EXPECT_EQ(metric.subject.metric, (MetricColumn{"validation", "a.b", MetricNumber::kMean}));
  EXPECT_EQ(metric.value, FilterValue(0.5));
  const FilterField hp = only_field(
      R"("location":"LOCATION_TYPE_RUN_HYPERPARAMETERS","columnName":"hp.opt.lr","operator":"isEmpty","value":null)");
  EXPECT_THAT(hp.subject.path, ElementsAre("opt", "lr"));
  const FilterField state =
      only_field(R"("location":"LOCATION_TYPE_RUN","columnName":"state","operator":"=","value":"STATE_RUNNING")");
  EXPECT_EQ(state.value, FilterValue(std::string("ACTIVE")));
  const FilterField date =
      only_field(R"("location":"LOCATION_TYPE_RUN","columnName":"startTime","operator":">","value":"2026-11-21")");
  EXPECT_EQ(date.value, FilterValue(*parse_rfc3339("2026-11-21T00:00:00Z")));
  const FilterField flag =
      only_field(R"("location":"LOCATION_TYPE_RUN","columnName":"archived","operator":"=","value":"true")");
  EXPECT_EQ(flag.value, FilterValue(true));
}

TEST(ListFilter, AFieldThatIsStillBeingFilledInLetsEverythingThrough) {
  const auto filter = parse_list_filter(field(R"("columnName":"id","operator":"=","value":null)"));
  ASSERT_TRUE(filter);
  EXPECT_FALSE(filter->root.children[0].field);
  EXPECT_TRUE(parse_list_filter("{}"));
}

TEST(ListFilter, NamesThePartThatIsWrong) {
  EXPECT_THAT(refusal("[]"), HasSubstr("filter: expected JSON"));
  EXPECT_THAT(refusal(R"({"filterGroup":3})"), HasSubstr("filter.filterGroup: expected an object, got number"));
  EXPECT_THAT(refusal(R"({"filterGroup":{"kind":"x"}})"), HasSubstr("filter.filterGroup.kind: 'x' is neither"));
  EXPECT_THAT(refusal(R"({"filterGroup":{"kind":"group","conjunction":"xor"}})"), HasSubstr("'xor' is neither"));
  EXPECT_THAT(refusal(R"({"showArchived":"no"})"), HasSubstr("filter.showArchived: expected true or false"));
  const std::pair<const char*, const char*> kWrong[] = {
      {R"("columnName":"id","operator":"in","value":1)", "children[0].operator: 'in' is not one of =, !=, <"},
      {R"("columnName":"hat","operator":"=","value":1)", "children[0].columnName: 'hat' is no column of experiments"},
      {R"("columnName":"id","operator":"=","value":"x")", "children[0].value: expected a number, got \"x\""},
      {R"("columnName":"id","operator":"=","value":"nan")", "expected a number"},
      {R"("columnName":"id","operator":"=","value":[1])", "expected one value, got [1]"},
      {R"("columnName":"id","operator":"contains","value":1)", "look into texts"},
      {R"("columnName":"startTime","operator":"<","value":"soon")", "expected a time like"},
      {R"("columnName":"state","operator":"=","value":"LAZY")", "\"LAZY\" is no state"},
      {R"("columnName":"name","operator":"=","value":"a\u0000b")", "has a NUL character"},
      {R"("location":"MOON","columnName":"id","operator":"=","value":1)", "'MOON' is no location"},
      {R"("type":"HAT","columnName":"id","operator":"=","value":1)", "'HAT' is no type"},
      {R"("location":"LOCATION_TYPE_TRAINING","columnName":"loss","operator":"=","value":1)", "not a valid metrics id"},
      {R"("location":"LOCATION_TYPE_RUN_METADATA","columnName":"metadata.","operator":"=","value":1)",
       "not a name like"},
  };
  for (const auto& [text, message] : kWrong) EXPECT_THAT(refusal(field(text)), HasSubstr(message));
}

TEST(ListFilter, IsBounded) {
  const std::string open = R"({"kind":"group","conjunction":"and","children":[)";
  std::string deep = "{\"kind\":\"group\",\"conjunction\":\"and\"}";
  for (int i = 0; i < kDeepestFilter; ++i) deep = open + deep + "]}";
  EXPECT_THAT(refusal("{\"filterGroup\":" + deep + "}"), HasSubstr("more than 20 groups"));
  std::string wide = open;
  for (int i = 0; i < kMostFilterParts; ++i) {
    wide += (i > 0 ? "," : "") + std::string(R"({"kind":"field","columnName":"id","operator":"isEmpty"})");
  }
  EXPECT_THAT(refusal("{\"filterGroup\":" + wide + "]}}"), HasSubstr("more than 200 groups and fields"));
  EXPECT_THAT(refusal(std::string(kLongestFilter + 1, ' ')), HasSubstr("longer than 65536 bytes"));
}

TEST(ListSort, ReadsColumnsMetricsAndHyperparameters) {
  const auto sort = parse_list_sort(ListPlace::kRun, "searcherMetricsVal=desc,hp.a.b=asc,training.loss.min=asc,id=asc");
  ASSERT_TRUE(sort) << sort.error().message;
  ASSERT_EQ(sort->size(), 4u);
  EXPECT_EQ((*sort)[0].order, Order::kDescending);
  EXPECT_EQ((*sort)[1].subject.place, ListPlace::kRunHyperparameter);
  EXPECT_EQ((*sort)[2].subject.metric, (MetricColumn{"training", "loss", MetricNumber::kMin}));
  EXPECT_TRUE(parse_list_sort(ListPlace::kExperiment, "")->empty());
}

TEST(ListSort, SaysWhatIsWrong) {
  const auto refused = [](const std::string& text) {
    const auto sort = parse_list_sort(ListPlace::kRun, text);
    return sort ? "taken" : sort.error().message;
  };
  EXPECT_THAT(refused("id"), HasSubstr("invalid sort parameter: id"));
  EXPECT_THAT(refused("id=up"), HasSubstr("invalid sort direction: up"));
  EXPECT_THAT(refused("hat=asc"), HasSubstr("invalid sort col: hat"));
  EXPECT_THAT(refused("a.b=asc"), HasSubstr("not a valid metrics id"));
  EXPECT_THAT(refused("hp.=asc"), HasSubstr("not a name like"));
  std::string many = "id=asc";
  for (int i = 0; i < 10; ++i) many += ",id=asc";
  EXPECT_THAT(refused(many), HasSubstr("more than 10 columns"));
}

}  // namespace
}  // namespace det::store
