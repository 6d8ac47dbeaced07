"""Lists of runs and experiments with the real package's bindings: filters, orders, columns, and what is done to many runs at once."""

import json
import os
import re
import unittest
import warnings

from determined.common.api import bindings, errors
from determined.experimental import client

from stack import ROOT, SETTINGS, STATE, det, sql

CORE_API = ROOT / "examples" / "core_api"


def field(location, column, operator, value=None, kind="COLUMN_TYPE_UNSPECIFIED"):
    return {"kind": "field", "location": f"LOCATION_TYPE_{location}", "columnName": column, "operator": operator, "value": value, "type": kind}


def filter_of(*fields, archived=False):
    return json.dumps({"filterGroup": {"kind": "group", "conjunction": "and", "children": list(fields)}, "showArchived": archived})


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.experiments, cls.runs = [], []
        for reports in (5, 9):
            said = det("e", "create", "const.yaml", ".", "-f", "--config", f"hyperparameters.reports={reports}", cwd=CORE_API).out
            number = int(re.search(r"Created experiment (\d+)", said).group(1))
            cls.experiments.append(number)
            cls.runs.append(int(sql(f"SELECT id FROM trials WHERE experiment_id = {number}")[0][0]))
        os.environ["XDG_CONFIG_HOME"] = str(STATE / "sdk-config")  # tokens: older command lines do not read this form of them
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cls.session = client.Determined(SETTINGS["DET_MASTER"], "determined", "")._session
        cls.ours = field("RUN", "experimentId", ">=", cls.experiments[0], "COLUMN_TYPE_NUMBER")

    def search(self, *fields, sort="id=asc", **more):
        body = bindings.v1SearchRunsRequest(filter=filter_of(self.ours, *fields, archived=True), sort=sort, **more)
        return bindings.post_SearchRuns(self.session, body=body)

    def test_runs_are_found_by_hyperparameters_and_metrics(self):
        found = self.search()
        self.assertEqual([run.id for run in found.runs], self.runs)
        self.assertEqual({run.state for run in found.runs}, {bindings.trialv1State.COMPLETED})
        self.assertEqual([run.hyperparameters["reports"] for run in found.runs], [5, 9])
        metrics = found.runs[0].summaryMetrics["validation_metrics"]
        name = next(iter(metrics))
        value = field("VALIDATIONS", f"validation.{name}.last", "=", metrics[name]["last"], "COLUMN_TYPE_NUMBER")
        self.assertIn(self.runs[0], [run.id for run in self.search(value).runs])
        more = field("RUN_HYPERPARAMETERS", "hp.reports", ">", 6, "COLUMN_TYPE_NUMBER")
        self.assertEqual([run.id for run in self.search(more).runs], self.runs[1:])
        self.assertEqual([run.id for run in self.search(sort="hp.reports=desc").runs], self.runs[::-1])
        self.assertEqual(self.search(limit=1, offset=1).pagination.endIndex, 2)
        with self.assertRaisesRegex(errors.APIException, "is not one of =, !="):
            self.search(field("RUN", "id", "in", 1))

    def test_experiments_are_found_with_their_best_trial(self):
        body = bindings.v1SearchExperimentsRequest(filter=filter_of(field("EXPERIMENT", "id", ">=", self.experiments[0])), sort="id=desc")
        found = bindings.post_SearchExperiments(self.session, body=body).experiments
        self.assertEqual([one.experiment.id for one in found], self.experiments[::-1])
        self.assertEqual([one.bestTrial.id for one in found], self.runs[::-1])

    def test_a_project_tells_columns_ranges_and_texts(self):
        for table in (bindings.v1TableType.RUN, bindings.v1TableType.EXPERIMENT):
            columns = bindings.get_GetProjectColumns(self.session, id=1, tableType=table).columns
            self.assertIn("hp.reports", [column.column for column in columns])
            self.assertTrue(any(column.column.startswith("validation.") for column in columns))
        ranges = bindings.get_GetProjectNumericMetricsRange(self.session, id=1).ranges
        self.assertIn("searcherMetricsVal", [one.metricsName for one in ranges])
        bindings.post_PostRunMetadata(self.session, runId=self.runs[0],
                                      body=bindings.v1PostRunMetadataRequest(runId=self.runs[0], metadata={"sea": {"name": "north"}}))
        self.assertIn("north", bindings.get_GetMetadataValues(self.session, projectId=1, key="sea.name").values)
        north = field("RUN_METADATA", "metadata.sea.name", "=", "north", "COLUMN_TYPE_TEXT")
        self.assertEqual([run.id for run in self.search(north).runs], self.runs[:1])

    def test_many_runs_are_archived_killed_and_brought_back(self):
        archive = bindings.v1ArchiveRunsRequest(projectId=1, runIds=self.runs)
        self.assertEqual({one.error for one in bindings.post_ArchiveRuns(self.session, body=archive).results}, {""})
        self.assertEqual([run.archived for run in self.search().runs], [True, True])
        back = bindings.v1UnarchiveRunsRequest(projectId=1, runIds=[], filter=filter_of(self.ours, archived=True))
        self.assertEqual(sorted(one.id for one in bindings.post_UnarchiveRuns(self.session, body=back).results), self.runs)
        killed = bindings.post_KillRuns(self.session, body=bindings.v1KillRunsRequest(projectId=1, runIds=[*self.runs, 99999]))
        self.assertEqual(sorted((one.id, one.error != "") for one in killed.results), [*((run, False) for run in self.runs), (99999, True)])

    def test_experiments_are_listed_by_ids_and_whole(self):
        some = bindings.get_GetExperiments(self.session, experimentIdFilter_incl=self.experiments, showTrialData=True)
        self.assertEqual(sorted(one.id for one in some.experiments), self.experiments)
        whole = bindings.get_GetExperiments(self.session, limit=-1)
        self.assertEqual(len(whole.experiments), whole.pagination.total)
        self.assertEqual(bindings.get_GetExperiments(self.session, limit=-2).experiments, [])


if __name__ == "__main__":
    unittest.main()
