#include "tests/api/fixture.h"

namespace det::api {
namespace {

struct Pages : ApiTest {
  store::TaskRow notebook() { return insert_task("NOTEBOOK", "<b>mine</b>"); }
  // What Determined's CLI opens.
  static std::string interactive(const std::string& id, const std::string& token) {
    return "/det/interactive/" + id + "/jupyter-lab/name/default/%2Fdet%2Fwait%2Fjupyter-lab%2F" + id +
           "%3FeventUrl%3D%2Fproxy%2F" + id + "%2Fevents%26serviceAddr%3D%2Fproxy%2F" + id + "%2F%3Ftoken%3D" + token +
           "?currentSlotsExceeded=false";
  }
  void become_ready(const std::string& id) {
    const auto epoch = must(cluster.load_or_create()).epoch;
    must(tasks.start_run(epoch, id, new_run(1, "01")));
    must(allocations.mark_ready(model::allocation_id(id, 1)));
  }
};

TEST_F(Pages, StrangersAreSentToTheLoginAndBack) {
  const auto task = notebook();
  token.clear();
  const Answer answer = get("/det/wait/jupyter-lab/" + task.id);
  EXPECT_EQ(answer.status, 303);
  EXPECT_EQ(answer.headers.find("Location"), "/det/login?redirect=%2Fdet%2Fwait%2Fjupyter-lab%2F" + task.id);
  EXPECT_EQ(get(interactive(task.id, "wrong")).status, 303) << "a wrong token is none";
  EXPECT_EQ(get("/det/login").status, 200);
  EXPECT_NE(get("/det/login.js").text.find("url.origin === location.origin"), std::string::npos);
}

TEST_F(Pages, WaitForTheTaskAndThenGoThere) {
  const auto task = notebook();
  const Answer waiting = get(interactive(task.id, "the-token"));
  EXPECT_EQ(waiting.status, 200);
  EXPECT_NE(waiting.text.find("http-equiv=\"refresh\""), std::string::npos);
  EXPECT_NE(waiting.text.find("&lt;b&gt;mine&lt;/b&gt; is starting"), std::string::npos) << waiting.text;
  EXPECT_EQ(waiting.text.find("<b>mine"), std::string::npos);
  become_ready(task.id);
  EXPECT_EQ(get("/det/wait/jupyter-lab/" + task.id).headers.find("Location"), "/proxy/" + task.id + "/");
  token.clear();
  EXPECT_EQ(get(interactive(task.id, "the-token")).headers.find("Location"), "/proxy/" + task.id + "/?token=the-token");
  EXPECT_EQ(get(interactive(task.id, "wrong")).status, 303);
}

// The address that the page is to go to is in the URL; anybody may have written it.
TEST_F(Pages, NeverGoElsewhere) {
  const auto task = notebook();
  become_ready(task.id);
  for (const std::string& evil : {"https://evil.example/%3Ftoken%3D", "//evil.example/?token=the-token",
                                  "/proxy/x/?token=the-token%0d%0aSet-Cookie:%20a=b"}) {
    const Answer answer = get("/det/wait/jupyter-lab/" + task.id + "?serviceAddr=" + evil);
    EXPECT_EQ(answer.status, 303);
    const std::string where(answer.headers.find("Location").value_or(""));
    EXPECT_TRUE(where == "/proxy/" + task.id + "/" || where == "/proxy/" + task.id + "/?token=the-token") << where;
  }
}

TEST_F(Pages, WhatIsSomebodyElsesIsNotThere) {
  const auto task = notebook();
  must(users.create({.username = "other", .display_name = {}, .password_hash = {}}));
  token = must(authenticator.login({.username = "other", .password = "", .is_hashed = true, .peer = ""})).token;
  EXPECT_EQ(get("/det/wait/jupyter-lab/" + task.id).status, 404);
  EXPECT_EQ(get("/det/wait/jupyter-lab/nothing").status, 404);
}

TEST_F(Pages, LoadAndFrameNothing) {
  const Answer page = get("/det/login");
  const std::string policy(page.headers.find("Content-Security-Policy").value_or(""));
  EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_EQ(page.headers.find("Referrer-Policy"), "no-referrer");
}

}  // namespace
}  // namespace det::api
