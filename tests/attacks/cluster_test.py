"""Nodes, their slots and the queue, which are everybody's, and what not everybody may do to them."""

import unittest
import urllib.parse

from server import setup

server = setup(globals(), config={"resource_pools": [{"pool_name": "default"}, {"pool_name": "reef"}]})


class Agents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mallory = server.user("mallory")
        cls.theirs = server.waiting_run(server.user("alice"), {"name": "alices"})
        (cls.agent,) = server.http("GET", "/api/v1/agents", cls.mallory).json["agents"]
        cls.slots = f"/api/v1/agents/{cls.agent['id']}/slots"

    def test_only_administrators_take_slots_away(self):
        """a620492: there were no such routes.
        now: 401 to strangers, 403 to users and to tasks of any kind."""
        for verb in ("enable", "disable"):
            for token, status in ((None, 401), (self.mallory, 403), (self.theirs.session, 403), (self.theirs.user, 403)):
                with self.subTest(verb=verb, status=status):
                    self.assertEqual(server.http("POST", f"{self.slots}/0/{verb}", token, {}).status, status)
        self.assertTrue(server.http("GET", f"{self.slots}/0", self.mallory).json["slot"]["enabled"])

    def test_numbers_of_slots_reach_no_other_place_of_the_node(self):
        """a620492: there were no such routes.
        now: a slot is a number that the node has; whatever else stands there is refused before the node is looked at."""
        admin = server.admin()
        for slot in ("-1", "99999999999999999999", "0%2Fx", "0%00", "1e3", "..%2F..%2Fnamespaces", "\u0664"):
            with self.subTest(slot=slot):
                self.assertIn(server.http("POST", f"{self.slots}/{urllib.parse.quote(slot, safe='%')}/disable", admin, {}).status, (400, 404))
        self.assertEqual(server.http("POST", f"{self.slots}/4096/disable", admin, {}).status, 404)
        self.assertEqual(server.http("POST", "/api/v1/agents/nobody/slots/0/disable", admin, {}).status, 404)


class Pools(unittest.TestCase):
    PATH = "/api/v1/resource-pools/{}/workspace-bindings"

    @classmethod
    def setUpClass(cls):
        cls.mallory = server.user("mallory4")
        cls.theirs = server.waiting_run(server.user("alice4"), {"name": "alices"})

    def test_only_administrators_keep_pools(self):
        """a620492: there were no bindings.
        now: 401 to strangers, 403 to users and to tasks of any kind; nobody is left without the default pool."""
        for method in ("POST", "PUT", "DELETE"):
            for token, status in ((None, 401), (self.mallory, 403), (self.theirs.session, 403), (self.theirs.user, 403)):
                with self.subTest(method=method, status=status):
                    self.assertEqual(server.http(method, self.PATH.format("reef"), token, {"workspaceIds": [1]}).status, status)
            self.assertIn(server.http(method, self.PATH.format("default"), server.admin(), {"workspaceIds": [1]}).status, (400, 404))
        for pool in ("reef", "default"):
            self.assertEqual(server.http("GET", self.PATH.format(pool), self.mallory).json["workspaceIds"], [])

    def test_names_and_numbers_of_workspaces_are_not_sql(self):
        """a620492: there were no bindings.
        now: they are parameters; what is no workspace is 400 or 404, and so are more than a thousand."""
        for body in ({"workspaceNames": ["' OR true --"]}, {"workspaceIds": ["1; DROP TABLE pool_bindings"]}, {"workspaceIds": [-1]},
                     {"workspaceIds": [9] * 1001}, {"workspaceNames": ["\u0000"]}, {"workspaceNames": {"a": 1}}):
            with self.subTest(body=str(body)[:60]):
                self.assertIn(server.http("DELETE", "/api/v1/resource-pools/other/workspace-bindings", server.admin(), body).status, (400, 404))


class Namespaces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mallory = server.user("mallory6")
        cls.own = server.http("POST", "/api/v1/workspaces", cls.mallory, {"name": "mallorys"}).json["workspace"]["id"]
        cls.theirs = server.waiting_run(server.user("alice6"), {"name": "alices"})
        cls.path = f"/api/v1/workspaces/{cls.own}/namespace-bindings"

    @staticmethod
    def wish(name):
        return {"clusterNamespaceMeta": {"": {"namespace": name}}}

    def test_nobody_but_administrators_chooses_a_namespace(self):
        """a620492: 501 to everybody.
        now: 401 to strangers, 403 to the workspace's own owner and to tasks of any kind: a namespace has secrets and a pod policy of its own."""
        for token, status in ((None, 401), (self.mallory, 403), (self.theirs.session, 403), (self.theirs.user, 403)):
            for method in ("POST", "DELETE"):
                with self.subTest(method=method, status=status):
                    self.assertEqual(server.http(method, self.path, token, self.wish("default")).status, status)
        with_it = {"name": "another", **self.wish("default")}
        self.assertEqual(server.http("POST", "/api/v1/workspaces", self.mallory, with_it).status, 403)
        self.assertEqual(server.http("PATCH", f"/api/v1/workspaces/{self.own}", self.mallory, self.wish("default")).status, 403)

    def test_names_of_namespaces_are_no_paths(self):
        """a620492: 501 to everybody.
        now: 400 for what is not the name of a namespace that there is, also to administrators."""
        for name in ("../../apis", "a/b", "kube-system?watch=1", "%2e%2e", "\u0000", "a" * 300, "Default", "", 7, ["default"], "nowhere"):
            with self.subTest(name=str(name)[:40]):
                self.assertEqual(server.http("POST", self.path, server.admin(), self.wish(name)).status, 400)


class Quotas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mallory = server.user("mallory7")
        cls.own = server.http("POST", "/api/v1/workspaces", cls.mallory, {"name": "mallorys7"}).json["workspace"]["id"]
        cls.theirs = server.waiting_run(server.user("alice7"), {"name": "alices"})
        cls.path = f"/api/v1/workspaces/{cls.own}/set-resource-quota"

    @staticmethod
    def wish(quota, cluster=""):
        return {"clusterQuotaPairs": {cluster: quota}}

    def test_nobody_but_administrators_sets_a_quota(self):
        """a620492: 501 to everybody.
        now: 401 to strangers, 403 to the workspace's own owner and to tasks of any kind, also for a workspace that is being made."""
        for token, status in ((None, 401), (self.mallory, 403), (self.theirs.session, 403), (self.theirs.user, 403)):
            with self.subTest(status=status):
                self.assertEqual(server.http("POST", self.path, token, self.wish(1000)).status, status)
        self.assertEqual(server.http("POST", "/api/v1/workspaces", self.mallory, {"name": "another7", **self.wish(1000)}).status, 403)

    def test_a_quota_bounds_nobody_else(self):
        """a620492: 501 to everybody.
        now: 400 for a workspace without a namespace of its own, also to administrators: the default one is everybody's."""
        self.assertEqual(server.http("POST", self.path, server.admin(), self.wish(0)).status, 400)
        for quota, cluster in ((-1, ""), (1 << 31, ""), (1 << 70, ""), ("5", ""), (1.5, ""), ([5], ""), (5, "../pods"), (5, "\u0000")):
            with self.subTest(quota=str(quota), cluster=cluster):
                self.assertEqual(server.http("POST", self.path, server.admin(), self.wish(quota, cluster)).status, 400)


class OlderForms(unittest.TestCase):
    """Routes for clients before 0.27 are ways to the same things."""

    @classmethod
    def setUpClass(cls):
        cls.mallory = server.user("mallory5")
        cls.alice = server.user("alice5")
        cls.theirs = server.waiting_run(cls.alice, {"name": "alices"})
        assert server.http("PUT", "/templates/alices", cls.alice, {"debug": True}).status == 200

    def test_older_forms_let_in_nobody_else(self):
        """a620492: there were no such routes.
        now: what the newer form of a route answers: 401 to strangers, 403 to tasks and to who owns nothing of it."""
        for method, path, of_others in (("GET", "/config", 403), ("GET", "/logs", 200), ("GET", "/templates", 200), ("PUT", "/templates/alices", 403),
                                        ("DELETE", "/templates/alices", 403), ("PATCH", f"/experiments/{self.theirs.experiment}", None),
                                        ("POST", "/searcher/preview", 400)):
            body = None if method in ("GET", "DELETE") else {}
            with self.subTest(method=method, path=path):
                self.assertEqual(server.http(method, path, None, body).status, 401)
                self.assertEqual(server.http(method, path, self.theirs.session, body).status, 403)
                if of_others is not None:
                    self.assertEqual(server.http(method, path, self.mallory, body).status, of_others)
        self.assertEqual(server.http("GET", "/api/v1/templates/alices", self.alice).json["template"]["config"], {"debug": True})


class Queue(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mallory = server.user("mallory2")
        cls.theirs = server.waiting_run(server.user("alice2"), {"name": "alices"})

    def update(self, token, **change):
        return server.http("POST", "/api/v1/job-queues", token, {"updates": [change]})

    def test_strangers_and_tasks_change_no_places(self):
        """a620492: nobody did.
        now: 401 to strangers, 403 to a task's own token."""
        change = {"jobId": str(self.theirs.experiment), "aheadOf": "1"}
        self.assertEqual(self.update(None, **change).status, 401)
        self.assertEqual(self.update(self.theirs.session, **change).status, 403)

    def test_strangers_and_tasks_move_no_jobs(self):
        """a620492: 501 to everybody.
        now: 401 to strangers, 403 to a task's own token; a name is a name of a pool or refused, and changes nothing."""
        move = {"jobId": str(self.theirs.experiment), "resourcePool": "elsewhere"}
        self.assertEqual(self.update(None, **move).status, 401)
        self.assertEqual(self.update(self.theirs.session, **move).status, 403)
        for pool in ("elsewhere", "default'; DROP TABLE experiments; --", "../x", "\u0000", "a" * 100_000, 7, ["default"]):
            with self.subTest(pool=str(pool)[:50]):
                self.assertEqual(self.update(self.mallory, jobId=str(self.theirs.experiment), resourcePool=pool).status, 400)
        shown = server.http("GET", f"/api/v1/experiments/{self.theirs.experiment}", self.mallory).json["experiment"]
        self.assertEqual(shown["resourcePool"], "default")

    def test_places_are_not_sql_and_not_numbers_of_the_caller(self):
        """a620492: there were no places.
        now: a job and its anchor are looked up by their ids as parameters, and have to be in the queue; the number is the server's."""
        for anchor in ("' OR true --", "1; DROP TABLE experiments", "-1", "9" * 30, "\u0000", "a" * 5000, str(self.theirs.experiment)):
            with self.subTest(anchor=anchor[:50]):
                self.assertIn(self.update(self.mallory, jobId=str(self.theirs.experiment), aheadOf=anchor).status, (400, 404))
        for place in ({"queue_place": 1}, {"aheadOf": 7}, {"aheadOf": ["1"]}):
            with self.subTest(place=place):
                self.assertEqual(self.update(self.mallory, jobId=str(self.theirs.experiment), **place).status, 400)


class Usage(unittest.TestCase):
    PATHS = ["/resources/allocation/raw", "/resources/allocation/allocations-csv", "/resources/allocation/aggregated",
             "/api/v1/resources/allocation/raw", "/api/v1/resources/allocation/aggregated"]

    @classmethod
    def setUpClass(cls):
        cls.mallory = server.user("mallory3")
        cls.theirs = server.waiting_run(server.user("alice3"), {"name": "alices"})

    def test_usage_is_for_people_who_are_logged_in(self):
        """a620492: there were no such routes.
        now: 401 to strangers, 403 to a task's own token."""
        for path in self.PATHS:
            with self.subTest(path=path):
                self.assertEqual(server.http("GET", path).status, 401)
                self.assertEqual(server.http("GET", path, self.theirs.session).status, 403)

    def test_sums_over_all_of_history_are_refused(self):
        """a620492: there were no such routes.
        now: at most 731 days or 120 months are added up at once; wrong dates are a 400 that names them."""
        for first, last in (("0001-01-01", "9999-12-31"), ("2020-01-01", "2026-01-01"), ("'", "2026-01-01"), ("2026-01-01", "2026-13-01")):
            query = f"?start_date={urllib.parse.quote(first)}&end_date={last}&period=RESOURCE_ALLOCATION_AGGREGATION_PERIOD_DAILY"
            with self.subTest(first=first, last=last):
                answer = server.http("GET", self.PATHS[4] + query, self.mallory)
                self.assertEqual(answer.status, 400, answer)
                self.assertIn("_date", answer.error)

    def test_a_downloaded_file_is_never_a_page_of_ours(self):
        """a620492: there was no such route.
        now: whatever is in somebody's model code comes as an attachment of octets, nosniff; a path that is none of its files is a 404."""
        number = self.theirs.experiment
        for path in ("../../etc/passwd", "/etc/passwd", "%2e%2e/x", "\r\nSet-Cookie: a=b"):
            with self.subTest(path=path):
                answer = server.http("GET", f"/experiments/{number}/file/download?path={urllib.parse.quote(path)}", self.mallory)
                self.assertEqual(answer.status, 404, answer)
                self.assertNotIn("Set-Cookie", answer.headers)
        self.assertEqual(server.http("GET", f"/experiments/{number}/file/download?path=x").status, 401)
        self.assertEqual(server.http("GET", f"/experiments/{number}/model_def").status, 401)


if __name__ == "__main__":
    unittest.main()
