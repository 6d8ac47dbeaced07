// Made by scripts/types.mjs from the server's OpenAPI: do not edit.
export interface paths {
    "/api/v1/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1DeleteCheckpointsRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/experiments/{id}/labels/{label}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                    label: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1PutExperimentLabelResponse"];
                    };
                };
            };
        };
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                    label: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1DeleteExperimentLabelResponse"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{id}/experiments/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1BulkRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1BulkResponse"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1UserAnswer"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/experiments/metrics-stream/metric-names": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query: {
                    ids: number[];
                    periodSeconds?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            error?: components["schemas"]["v1StreamError"];
                            result?: components["schemas"]["v1ExpMetricNamesResponse"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/experiments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetExperimentResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1PatchExperimentRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1PatchExperimentResponse"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/experiments/{id}/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                    orderBy?: components["schemas"]["v1Order"];
                    sortBy?: components["schemas"]["v1CheckpointSort"];
                    sortByAttr?: components["schemas"]["v1CheckpointSort"];
                    sortByMetric?: string;
                    states?: components["schemas"]["v1CheckpointState"][];
                };
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1CheckpointList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/experiments/{id}/curves": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query: {
                    axis?: string;
                    endBatches?: number;
                    limit?: number;
                    maxDatapoints?: number;
                    metricId: string;
                    startBatches?: number;
                };
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetExperimentCurvesResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/experiments/{id}/hyperparameter-importance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetHyperparameterImportanceResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/experiments/{id}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    afterId?: string;
                    agentIds?: string[];
                    allocationIds?: string[];
                    before?: string;
                    beforeId?: string;
                    containerIds?: string[];
                    enableRegex?: boolean;
                    levels?: components["schemas"]["v1LogLevel"][];
                    limit?: number;
                    rankIds?: number[];
                    searchText?: string;
                    sources?: string[];
                    stdtypes?: components["schemas"]["v1StdType"][];
                    timestampAfter?: string;
                    timestampBefore?: string;
                };
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            error?: components["schemas"]["v1StreamError"];
                            result?: components["schemas"]["v1ExperimentLogsResponse"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/experiments/{id}/logs/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    afterId?: string;
                    agentIds?: string[];
                    allocationIds?: string[];
                    beforeId?: string;
                    containerIds?: string[];
                    enableRegex?: boolean;
                    levels?: components["schemas"]["v1LogLevel"][];
                    rankIds?: number[];
                    searchText?: string;
                    sources?: string[];
                    stdtypes?: components["schemas"]["v1StdType"][];
                    timestampAfter?: string;
                    timestampBefore?: string;
                };
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1CountExperimentLogsResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/experiments/{id}/model_def": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetModelDefResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/experiments/{id}/searcher/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    after?: number;
                    limit?: number;
                };
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            error?: components["schemas"]["v1StreamError"];
                            result?: components["schemas"]["v1ReplaySearchResponse"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/experiments/{id}/trials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    includeSummaryMetrics?: boolean;
                    limit?: number;
                    offset?: number;
                    orderBy?: components["schemas"]["v1Order"];
                    sortBy?: components["schemas"]["v1TrialSort"];
                    states?: components["schemas"]["v1TrialState"][];
                };
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetExperimentTrialsResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/experiments/{id}/validation-history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetExperimentValidationHistoryResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/job-queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                    orderBy?: components["schemas"]["v1Order"];
                    resourcePool?: string;
                    states?: components["schemas"]["v1JobState"][];
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetJobsResponse"];
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1UpdateJobQueueRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/job-queues/{id}/reason": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1ExplainJobResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/master": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetMasterResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    archived?: boolean;
                    description?: string;
                    id?: number;
                    labels?: string[];
                    limit?: number;
                    name?: string;
                    offset?: number;
                    orderBy?: components["schemas"]["v1Order"];
                    sortBy?: components["schemas"]["v1ModelSort"];
                    userIds?: number[];
                    users?: string[];
                    workspaceIds?: number[];
                    workspaceNames?: string[];
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetModelsResponse"];
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1ModelFields"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1ModelAnswer"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{id}/columns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    tableType?: components["schemas"]["v1TableType"];
                };
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetProjectColumnsResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetTaskResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/trials/time-series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    endBatches?: number;
                    group?: string;
                    maxDatapoints?: number;
                    metricIds?: string[];
                    metricNames?: string[];
                    metricType?: components["schemas"]["v1MetricType"];
                    spread?: boolean;
                    startBatches?: number;
                    "timeSeriesFilter.doubleRange.gt"?: number;
                    "timeSeriesFilter.doubleRange.gte"?: number;
                    "timeSeriesFilter.doubleRange.lt"?: number;
                    "timeSeriesFilter.doubleRange.lte"?: number;
                    "timeSeriesFilter.integerRange.gt"?: number;
                    "timeSeriesFilter.integerRange.gte"?: number;
                    "timeSeriesFilter.integerRange.incl"?: number[];
                    "timeSeriesFilter.integerRange.lt"?: number;
                    "timeSeriesFilter.integerRange.lte"?: number;
                    "timeSeriesFilter.integerRange.notIn"?: number[];
                    "timeSeriesFilter.name"?: string;
                    "timeSeriesFilter.timeRange.gt"?: string;
                    "timeSeriesFilter.timeRange.gte"?: string;
                    "timeSeriesFilter.timeRange.lt"?: string;
                    "timeSeriesFilter.timeRange.lte"?: string;
                    trialIds?: number[];
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1CompareTrialsResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/trials/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1TrialAnswer"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/trials/{id}/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                    orderBy?: components["schemas"]["v1Order"];
                    sortBy?: components["schemas"]["v1CheckpointSort"];
                    sortByAttr?: components["schemas"]["v1CheckpointSort"];
                    sortByMetric?: string;
                    states?: components["schemas"]["v1CheckpointState"][];
                };
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1CheckpointList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/trials/{id}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    afterId?: string;
                    agentIds?: string[];
                    allocationIds?: string[];
                    beforeId?: string;
                    containerIds?: string[];
                    enableRegex?: boolean;
                    follow?: boolean;
                    levels?: components["schemas"]["v1LogLevel"][];
                    limit?: number;
                    orderBy?: components["schemas"]["v1Order"];
                    rankIds?: number[];
                    searchText?: string;
                    sources?: string[];
                    stdtypes?: components["schemas"]["v1StdType"][];
                    timestampAfter?: string;
                    timestampBefore?: string;
                };
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            error?: components["schemas"]["v1StreamError"];
                            result?: components["schemas"]["v1LogLine"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/trials/{id}/logs/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    afterId?: string;
                    agentIds?: string[];
                    allocationIds?: string[];
                    beforeId?: string;
                    containerIds?: string[];
                    enableRegex?: boolean;
                    levels?: components["schemas"]["v1LogLevel"][];
                    rankIds?: number[];
                    searchText?: string;
                    sources?: string[];
                    stdtypes?: components["schemas"]["v1StdType"][];
                    timestampAfter?: string;
                    timestampBefore?: string;
                };
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1CountTrialLogsResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/trials/{id}/logs/fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    follow?: boolean;
                };
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            error?: components["schemas"]["v1StreamError"];
                            result?: components["schemas"]["v1LogFields"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/trials/{id}/profiler/available_series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    follow?: boolean;
                };
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            error?: components["schemas"]["v1StreamError"];
                            result?: components["schemas"]["v1GetTrialProfilerAvailableSeriesResponse"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/trials/{id}/profiler/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    follow?: boolean;
                    "labels.agentId"?: string;
                    "labels.gpuUuid"?: string;
                    "labels.metricType"?: components["schemas"]["v1ProfilerMetricType"];
                    "labels.name"?: string;
                    since?: string;
                };
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            error?: components["schemas"]["v1StreamError"];
                            result?: components["schemas"]["v1GetTrialProfilerMetricsResponse"];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/setting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetUserSettingResponse"];
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1PostUserSettingRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    archived?: boolean;
                    limit?: number;
                    name?: string;
                    nameCaseSensitive?: string;
                    offset?: number;
                    orderBy?: components["schemas"]["v1Order"];
                    pinned?: boolean;
                    sortBy?: components["schemas"]["v1WorkspaceSort"];
                    userIds?: number[];
                    users?: string[];
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetWorkspacesResponse"];
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1PostWorkspaceRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1NamedWorkspace"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    archived?: boolean;
                    limit?: number;
                    name?: string;
                    offset?: number;
                    orderBy?: components["schemas"]["v1Order"];
                    sortBy?: components["schemas"]["v1ProjectSort"];
                    userIds?: number[];
                    users?: string[];
                };
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetWorkspaceProjectsResponse"];
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1PostProjectRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1ProjectAnswer"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1Login"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1LoginResponse"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/experiments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1CreateExperimentRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1CreateExperimentResponse"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/experiments-search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1SearchRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1SearchExperimentsResponse"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/experiments/continue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1ContinueExperimentRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1ContinueExperimentResponse"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/experiments/{id}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1MoveExperimentRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/models/{name}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                    orderBy?: components["schemas"]["v1Order"];
                    sortBy?: components["schemas"]["v1ModelVersionSort"];
                };
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetModelVersionsResponse"];
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1PostModelVersionRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1ModelVersionAnswer"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{id}/experiments/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1BulkRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1BulkResponse"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{id}/experiments/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1BulkRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1BulkResponse"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{id}/experiments/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1BulkRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1BulkResponse"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{id}/experiments/kill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1BulkRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1BulkResponse"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{id}/experiments/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1BulkRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1BulkResponse"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{id}/experiments/unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1BulkRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1BulkResponse"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/trials/{id}/kill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/config-policies/global/{type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    type: components["schemas"]["v1WorkloadType"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1ConfigPolicies"];
                    };
                };
            };
        };
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    type: components["schemas"]["v1WorkloadType"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1ConfigPolicyText"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1ConfigPolicies"];
                    };
                };
            };
        };
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    type: components["schemas"]["v1WorkloadType"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/config-policies/workspaces/{id}/{type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                    type: components["schemas"]["v1WorkloadType"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1ConfigPolicies"];
                    };
                };
            };
        };
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                    type: components["schemas"]["v1WorkloadType"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1ConfigPolicyText"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1ConfigPolicies"];
                    };
                };
            };
        };
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                    type: components["schemas"]["v1WorkloadType"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GroupAnswer"];
                    };
                };
            };
        };
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1UpdateGroupRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GroupAnswer"];
                    };
                };
            };
        };
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/master/cluster_message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetClusterMessageResponse"];
                    };
                };
            };
        };
        put: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1SetClusterMessageRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/models/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1ModelAnswer"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1ModelFields"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1ModelAnswer"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/models/{name}/versions/{num}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                    num: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                    num: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1ModelVersionFields"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1ModelVersionAnswer"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/projects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1ProjectAnswer"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1Deletion"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1PatchProjectRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1ProjectAnswer"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/templates/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1TemplateChange"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1TemplateAnswer"];
                    };
                };
            };
        };
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1TemplateFields"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1TemplateAnswer"];
                    };
                };
            };
        };
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1PatchWebhookRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/workspaces/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetWorkspaceResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1Deletion"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1PatchWorkspaceRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1NamedWorkspace"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    excludeContainers?: boolean;
                    excludeSlots?: boolean;
                    limit?: number;
                    offset?: number;
                    orderBy?: components["schemas"]["v1Order"];
                    sortBy?: components["schemas"]["v1AgentSort"];
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetAgentsResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                    orderBy?: components["schemas"]["v1Order"];
                    sortBy?: components["schemas"]["v1TaskSort"];
                    userIds?: number[];
                    users?: string[];
                    workspaceId?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetCommandsResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notebooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                    orderBy?: components["schemas"]["v1Order"];
                    sortBy?: components["schemas"]["v1TaskSort"];
                    userIds?: number[];
                    users?: string[];
                    workspaceId?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetNotebooksResponse"];
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1LaunchRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1LaunchNotebookResponse"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/permissions/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1RoleSummaries"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/resource-pools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                    unbound?: boolean;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetResourcePoolsResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/resource-pools/{name}/workspace-bindings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                };
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1ListWorkspacesBoundToRPResponse"];
                    };
                };
            };
        };
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1OverwriteRPWorkspaceBindingsRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/resources/allocation/aggregated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query: {
                    endDate: string;
                    period: components["schemas"]["v1UsagePeriod"];
                    startDate: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1ResourceAllocationAggregatedResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/shells": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                    orderBy?: components["schemas"]["v1Order"];
                    sortBy?: components["schemas"]["v1TaskSort"];
                    userIds?: number[];
                    users?: string[];
                    workspaceId?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetShellsResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetTasksResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    name?: string;
                    offset?: number;
                    orderBy?: components["schemas"]["v1Order"];
                    sortBy?: components["schemas"]["v1TemplateSort"];
                    workspaceIds?: number[];
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetTemplatesResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tensorboards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                    orderBy?: components["schemas"]["v1Order"];
                    sortBy?: components["schemas"]["v1TaskSort"];
                    userIds?: number[];
                    users?: string[];
                    workspaceId?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetTensorboardsResponse"];
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1TensorBoardRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1LaunchTensorboardResponse"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                    orderBy?: components["schemas"]["v1Order"];
                    showInactive?: boolean;
                    sortBy?: components["schemas"]["v1TokenSort"];
                    tokenIds?: number[];
                    username?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetAccessTokensResponse"];
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1PostAccessTokenRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1PostAccessTokenResponse"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    active?: boolean;
                    admin?: boolean;
                    limit?: number;
                    name?: string;
                    offset?: number;
                    orderBy?: components["schemas"]["v1Order"];
                    roleIdAssignedDirectlyToUser?: number[];
                    sortBy?: components["schemas"]["v1UserSort"];
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetUsersResponse"];
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1PostUserRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1UserAnswer"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetWebhooksResponse"];
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1Webhook"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1WebhookAnswer"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                };
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetDeliveriesResponse"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1PatchAccessTokenRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1PatchAccessTokenResponse"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1PatchUserRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1UserAnswer"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/agents/{id}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1DrainRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1AgentAnswer"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1AgentAnswer"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{id}/slots/{slot}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                    slot: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1DrainRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1SlotAnswer"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{id}/slots/{slot}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                    slot: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1SlotAnswer"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/commands/{id}/kill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1CommandAnswer"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1CreateGroupRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GroupAnswer"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1GetGroupsRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetGroupsResponse"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/models/{name}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/models/{name}/unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notebooks/{id}/kill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1NotebookAnswer"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{id}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1MoveProjectRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{id}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1PutProjectNotesRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1Notes"];
                    };
                };
            };
        };
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1Note"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1Notes"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{id}/unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/roles/add-assignments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1AssignmentsRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/roles/remove-assignments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1AssignmentsRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/roles/search/by-ids": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1GetRolesByIDRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1GetRolesByIDResponse"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/shells/{id}/kill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1ShellAnswer"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{id}/kill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["v1KillGenericTaskRequest"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tensorboards/{id}/kill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1TensorBoardAnswer"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["v1TestWebhookResponse"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/pin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{id}/unpin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        v1ActionResult: {
            error?: string;
            id?: number;
        };
        v1Agent: {
            addresses?: string[];
            containers?: {
                [key: string]: components["schemas"]["v1Container"];
            };
            draining?: boolean;
            enabled?: boolean;
            id?: string;
            /** Format: date-time */
            registeredTime?: string | null;
            resourcePools?: string[];
            slotStats?: components["schemas"]["v1SlotStats"];
            slots?: {
                [key: string]: components["schemas"]["v1Slot"];
            };
            version?: string;
        };
        v1AgentAnswer: {
            agent?: components["schemas"]["v1Agent"];
        };
        /** @enum {string} */
        v1AgentSort: "SORT_BY_UNSPECIFIED" | "SORT_BY_ID" | "SORT_BY_TIME";
        v1AgentUserGroup: {
            agentGid?: number;
            agentGroup?: string;
            agentUid?: number;
            agentUser?: string;
        };
        v1AggregatedUsage: {
            byAgentLabel?: {
                [key: string]: number;
            };
            byExperimentLabel?: {
                [key: string]: number;
            };
            byResourcePool?: {
                [key: string]: number;
            };
            byUsername?: {
                [key: string]: number;
            };
            period?: components["schemas"]["v1UsagePeriod"];
            periodStart?: string;
            seconds?: number;
        };
        v1Allocation: {
            allocationId?: string;
            /** Format: date-time */
            endTime?: string | null;
            exitReason?: string;
            isReady?: boolean;
            slots?: number;
            /** Format: date-time */
            startTime?: string;
            state?: components["schemas"]["v1TaskState"];
            statusCode?: number;
            taskId?: string;
        };
        v1AllocationSummary: {
            allocationId?: string;
            name?: string;
            priority?: number;
            proxyPorts?: components["schemas"]["v1ProxyPort"][];
            /** Format: date-time */
            registeredTime?: string;
            resourcePool?: string;
            resources?: components["schemas"]["v1Resources"][];
            schedulerType?: string;
            slotsNeeded?: number;
            taskId?: string;
        };
        v1AssignmentsRequest: {
            groupRoleAssignments?: components["schemas"]["v1GroupGivenRole"][];
            userRoleAssignments?: components["schemas"]["v1UserGivenRole"][];
        };
        v1BestSoFar: {
            /** Format: date-time */
            endTime?: string;
            searcherMetric?: components["schemas"]["v1MetricValue"];
            trialId?: number;
        };
        v1BulkFilters: {
            archived?: boolean;
            description?: string;
            excludedExperimentIds?: number[];
            labels?: string[];
            name?: string;
            projectId?: number;
            states?: components["schemas"]["v1ExperimentState"][];
            userIds?: number[];
        };
        v1BulkRequest: {
            experimentIds?: number[];
            filters?: components["schemas"]["v1BulkFilters"];
            projectId?: number;
        };
        v1BulkResponse: {
            results?: components["schemas"]["v1ActionResult"][];
        };
        v1Checkpoint: {
            allocationId?: string;
            metadata?: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            reportTime?: string;
            resources?: {
                [key: string]: unknown;
            };
            state?: components["schemas"]["v1CheckpointState"];
            storageId?: number;
            taskId?: string;
            training?: components["schemas"]["v1CheckpointTraining"];
            /** Format: uuid */
            uuid?: string;
        };
        v1CheckpointList: {
            checkpoints?: components["schemas"]["v1Checkpoint"][];
            pagination?: components["schemas"]["v1Pagination"];
        };
        /** @enum {string} */
        v1CheckpointSort: "SORT_BY_UNSPECIFIED" | "SORT_BY_UUID" | "SORT_BY_TRIAL_ID" | "SORT_BY_BATCH_NUMBER" | "SORT_BY_END_TIME" | "SORT_BY_STATE" | "SORT_BY_SEARCHER_METRIC";
        /** @enum {string} */
        v1CheckpointState: "STATE_UNSPECIFIED" | "STATE_ACTIVE" | "STATE_COMPLETED" | "STATE_ERROR" | "STATE_DELETED" | "STATE_PARTIALLY_DELETED";
        v1CheckpointTraining: {
            experimentConfig?: {
                [key: string]: unknown;
            } | null;
            experimentId?: number | null;
            hparams?: {
                [key: string]: unknown;
            } | null;
            searcherMetric?: components["schemas"]["v1MetricValue"];
            trainingMetrics?: components["schemas"]["v1Metrics"];
            trialId?: number | null;
            validationMetrics?: components["schemas"]["v1Metrics"];
        };
        v1CheckpointWorkload: {
            /** Format: date-time */
            endTime?: string | null;
            metadata?: {
                [key: string]: unknown;
            };
            resources?: {
                [key: string]: unknown;
            };
            state?: components["schemas"]["v1CheckpointState"];
            totalBatches?: number;
            /** Format: uuid */
            uuid?: string;
        };
        v1ClusterMessage: {
            /** Format: date-time */
            createdTime?: string;
            /** Format: date-time */
            endTime?: string | null;
            message?: string;
            /** Format: date-time */
            startTime?: string;
        };
        v1CommandAnswer: {
            command?: components["schemas"]["v1StandaloneTask"];
        };
        v1CompareTrialsResponse: {
            trials?: components["schemas"]["v1ComparedTrial"][];
        };
        v1ComparedTrial: {
            metrics?: components["schemas"]["v1Curve"][];
            trial?: components["schemas"]["v1Trial"];
        };
        v1ConfigPolicies: {
            configPolicies?: {
                [key: string]: unknown;
            } | null;
        };
        v1ConfigPolicyText: {
            configPolicies: string;
            workloadType?: components["schemas"]["v1WorkloadType"];
            workspaceId?: number;
        };
        v1Container: {
            devices?: components["schemas"]["v1Device"][];
            id?: string;
            parent?: string;
            permissionDenied?: boolean;
            state?: string;
        };
        v1ContinueExperimentRequest: {
            id: number;
            overrideConfig?: string;
        };
        v1ContinueExperimentResponse: {
            configWarnings?: string[];
            experiment?: components["schemas"]["v1Experiment"];
            warnings?: string[];
        };
        v1CountExperimentLogsResponse: {
            /** Format: int64 */
            count?: string;
            isAll?: boolean;
        };
        v1CountTrialLogsResponse: {
            /** Format: int64 */
            count?: string;
            isAll?: boolean;
        };
        v1CreateExperimentRequest: {
            /** @default false */
            activate?: boolean;
            config?: string;
            gitCommit?: string;
            gitCommitDate?: string;
            gitCommitter?: string;
            gitRemote?: string;
            modelDefinition?: components["schemas"]["v1File"][];
            parentId?: number;
            projectId?: number;
            template?: string;
            templateName?: string;
            /** @default false */
            unmanaged?: boolean;
            /** @default false */
            validateOnly?: boolean;
        };
        v1CreateExperimentResponse: {
            config?: {
                [key: string]: unknown;
            };
            configWarnings?: string[];
            experiment?: components["schemas"]["v1Experiment"];
            warnings?: string[];
        };
        v1CreateGroupRequest: {
            addUsers?: number[];
            name: string;
        };
        v1Curve: {
            data?: components["schemas"]["v1DataPoint"][];
            group?: string;
            type?: components["schemas"]["v1MetricType"];
        };
        v1DataPoint: {
            batches?: number;
            epoch?: components["schemas"]["v1MetricValue"];
            /** Format: date-time */
            time?: string;
            values?: {
                [key: string]: components["schemas"]["v1MetricValue"];
            };
        };
        v1DeleteCheckpointsRequest: {
            checkpointUuids: string[];
        };
        v1DeleteExperimentLabelResponse: {
            labels?: string[];
        };
        v1Deletion: {
            completed?: boolean;
        };
        v1Delivery: {
            attempts?: number;
            /** Format: date-time */
            createdAt?: string;
            error?: string;
            eventId?: string;
            /** Format: date-time */
            finishedAt?: string;
            id?: number;
            /** Format: date-time */
            nextAttemptAt?: string;
            state?: string;
            status?: number;
            triggerType?: components["schemas"]["v1TriggerType"];
        };
        v1Device: {
            brand?: string;
            id?: number;
            type?: string;
            uuid?: string;
        };
        v1DeviceStats: {
            disabled?: number;
            draining?: number;
            states?: {
                [key: string]: number;
            };
            total?: number;
        };
        v1DrainRequest: {
            agentId?: string;
            /** @default false */
            drain?: boolean;
            slotId?: string;
        };
        v1ExpMetricNamesResponse: {
            metricNames?: components["schemas"]["v1MetricName"][];
            searcherMetrics?: string[];
            trainingMetrics?: string[];
            validationMetrics?: string[];
        };
        v1Experiment: {
            archived?: boolean;
            bestTrialId?: number;
            bestTrialSearcherMetric?: components["schemas"]["v1MetricValue"];
            checkpointCount?: number;
            /** Format: int64 */
            checkpointSize?: string;
            config?: {
                [key: string]: unknown;
            };
            description?: string;
            displayName?: string;
            duration?: number;
            /** Format: date-time */
            endTime?: string | null;
            externalExperimentId?: string;
            forkedFrom?: number | null;
            hyperparameters?: {
                [key: string]: unknown;
            } | null;
            id?: number;
            jobId?: string;
            labels?: string[];
            modelDefinitionSize?: number;
            name?: string;
            notes?: string;
            numTrials?: number;
            originalConfig?: string;
            parentArchived?: boolean;
            progress?: components["schemas"]["v1MetricValue"] | null;
            projectId?: number;
            projectName?: string;
            projectOwnerId?: number;
            resourcePool?: string;
            searcherMetric?: string;
            searcherType?: string;
            /** Format: date-time */
            startTime?: string;
            state?: components["schemas"]["v1ExperimentState"];
            trialIds?: number[];
            unmanaged?: boolean;
            userId?: number;
            username?: string;
            workspaceId?: number;
            workspaceName?: string;
        };
        v1ExperimentCurve: {
            trialId?: number;
            x?: number[];
            y?: components["schemas"]["v1MetricValue"][];
        };
        v1ExperimentLogsResponse: {
            agentId?: string;
            allocationId?: string;
            containerId?: string;
            id?: string;
            level?: components["schemas"]["v1LogLevel"];
            log?: string;
            message?: string;
            next?: string;
            rankId?: number;
            source?: string;
            stdtype?: components["schemas"]["v1StdType"];
            /** Format: date-time */
            timestamp?: string;
            trialId?: number;
        };
        v1ExperimentResources: {
            maxSlots?: number;
            priority?: number;
            weight?: number;
        };
        /** @enum {string} */
        v1ExperimentState: "STATE_UNSPECIFIED" | "STATE_ACTIVE" | "STATE_PAUSED" | "STATE_STOPPING_COMPLETED" | "STATE_STOPPING_CANCELED" | "STATE_STOPPING_KILLED" | "STATE_STOPPING_ERROR" | "STATE_COMPLETED" | "STATE_CANCELED" | "STATE_ERROR" | "STATE_DELETED" | "STATE_DELETING" | "STATE_DELETE_FAILED" | "STATE_QUEUED" | "STATE_PULLING" | "STATE_STARTING" | "STATE_RUNNING";
        v1ExperimentStorage: {
            saveExperimentBest?: number;
            saveTrialBest?: number;
            saveTrialLatest?: number;
        };
        v1ExplainJobResponse: {
            experimentId?: number;
            jobId?: string;
            reason?: string;
            scheduling?: {
                [key: string]: unknown;
            } | null;
            taskId?: string;
            waitingTrials?: components["schemas"]["v1WaitingTrial"][];
        };
        v1File: {
            /** Format: byte */
            content?: string;
            gid?: number;
            mode?: number;
            /** @default 0 */
            mtime?: number;
            path: string;
            /** @default 48 */
            type?: number;
            uid?: number;
        };
        v1FoundExperiment: {
            bestTrial?: components["schemas"]["v1Trial"] | null;
            experiment?: components["schemas"]["v1Experiment"];
        };
        v1GetAccessTokensResponse: {
            pagination?: components["schemas"]["v1Pagination"];
            tokenInfo?: components["schemas"]["v1TokenInfo"][];
        };
        v1GetAgentsResponse: {
            agents?: components["schemas"]["v1Agent"][];
            notice?: string;
            pagination?: components["schemas"]["v1Pagination"];
        };
        v1GetClusterMessageResponse: {
            clusterMessage?: components["schemas"]["v1ClusterMessage"];
        };
        v1GetCommandsResponse: {
            commands?: components["schemas"]["v1StandaloneTask"][];
            pagination?: components["schemas"]["v1Pagination"];
        };
        v1GetDeliveriesResponse: {
            deliveries?: components["schemas"]["v1Delivery"][];
            pagination?: components["schemas"]["v1Pagination"];
        };
        v1GetExperimentCurvesResponse: {
            curves?: components["schemas"]["v1ExperimentCurve"][];
            totalTrials?: number;
        };
        v1GetExperimentResponse: {
            config?: {
                [key: string]: unknown;
            };
            experiment?: components["schemas"]["v1Experiment"];
            jobSummary?: {
                [key: string]: unknown;
            } | null;
        };
        v1GetExperimentTrialsResponse: {
            pagination?: components["schemas"]["v1Pagination"];
            trials?: components["schemas"]["v1Trial"][];
        };
        v1GetExperimentValidationHistoryResponse: {
            validationHistory?: components["schemas"]["v1BestSoFar"][];
        };
        v1GetGroupsRequest: {
            limit: number;
            name?: string;
            /** @default 0 */
            offset?: number;
            userId?: number;
        };
        v1GetGroupsResponse: {
            groups?: components["schemas"]["v1GroupSearchResult"][];
            pagination?: components["schemas"]["v1Pagination"];
        };
        v1GetHyperparameterImportanceResponse: {
            fit?: number;
            hyperparameters?: components["schemas"]["v1HyperparameterImportance"][];
            leftOut?: number;
            metric?: string;
            reason?: string;
            together?: number;
            togetherDeviation?: number;
            trials?: number;
            trialsEnded?: number;
        };
        v1GetJobsResponse: {
            jobs?: components["schemas"]["v1Job"][];
            pagination?: components["schemas"]["v1Pagination"];
        };
        v1GetMasterResponse: {
            branding?: string;
            clusterId?: string;
            clusterMessage?: components["schemas"]["v1ClusterMessage"] | null;
            clusterName?: string;
            externalLoginUri?: string;
            externalLogoutUri?: string;
            featureSwitches?: string[];
            hasCustomLogo?: boolean;
            masterId?: string;
            product?: string;
            rbacEnabled?: boolean;
            ssoProviders?: components["schemas"]["v1SSOProvider"][];
            strictJobQueueControl?: boolean;
            telemetryEnabled?: boolean;
            userManagementEnabled?: boolean;
            version?: string;
        };
        v1GetModelDefResponse: {
            /** Format: byte */
            b64Tgz?: string;
        };
        v1GetModelVersionsResponse: {
            model?: components["schemas"]["v1Model"];
            modelVersions?: components["schemas"]["v1ModelVersion"][];
            pagination?: components["schemas"]["v1Pagination"];
        };
        v1GetModelsResponse: {
            models?: components["schemas"]["v1Model"][];
            pagination?: components["schemas"]["v1Pagination"];
        };
        v1GetNotebooksResponse: {
            notebooks?: components["schemas"]["v1StandaloneTask"][];
            pagination?: components["schemas"]["v1Pagination"];
        };
        v1GetProjectColumnsResponse: {
            columns?: components["schemas"]["v1ProjectColumn"][];
        };
        v1GetResourcePoolsResponse: {
            pagination?: components["schemas"]["v1Pagination"];
            resourcePools?: components["schemas"]["v1ResourcePool"][];
        };
        v1GetRolesByIDRequest: {
            roleIds?: number[];
        };
        v1GetRolesByIDResponse: {
            roles?: components["schemas"]["v1RoleWithAssignments"][];
        };
        v1GetShellsResponse: {
            pagination?: components["schemas"]["v1Pagination"];
            shells?: components["schemas"]["v1StandaloneTask"][];
        };
        v1GetTaskResponse: {
            task?: components["schemas"]["v1Task"];
        };
        v1GetTasksResponse: {
            allocationIdToSummary?: {
                [key: string]: components["schemas"]["v1AllocationSummary"];
            };
        };
        v1GetTemplatesResponse: {
            pagination?: components["schemas"]["v1Pagination"];
            templates?: components["schemas"]["v1Template"][];
        };
        v1GetTensorboardsResponse: {
            pagination?: components["schemas"]["v1Pagination"];
            tensorboards?: components["schemas"]["v1StandaloneTask"][];
        };
        v1GetTrialProfilerAvailableSeriesResponse: {
            labels?: components["schemas"]["v1ProfilerLabels"][];
        };
        v1GetTrialProfilerMetricsResponse: {
            batch?: components["schemas"]["v1ProfilerBatch"];
        };
        v1GetUserSettingResponse: {
            settings?: components["schemas"]["v1UserSetting"][];
        };
        v1GetUsersResponse: {
            pagination?: components["schemas"]["v1Pagination"];
            users?: components["schemas"]["v1User"][];
        };
        v1GetWebhooksResponse: {
            webhooks?: components["schemas"]["v1Webhook"][];
        };
        v1GetWorkspaceProjectsResponse: {
            pagination?: components["schemas"]["v1Pagination"];
            projects?: components["schemas"]["v1Project"][];
        };
        v1GetWorkspaceResponse: {
            workspace?: components["schemas"]["v1Workspace"];
        };
        v1GetWorkspacesResponse: {
            pagination?: components["schemas"]["v1Pagination"];
            workspaces?: components["schemas"]["v1Workspace"][];
        };
        v1GivenRole: {
            role: components["schemas"]["v1NamedRole"];
            /** @default false */
            scopeCluster?: boolean;
            scopeWorkspaceId?: number;
        };
        v1Group: {
            groupId?: number;
            name?: string;
            users?: components["schemas"]["v1User"][];
        };
        v1GroupAnswer: {
            group?: components["schemas"]["v1Group"];
        };
        v1GroupGivenRole: {
            groupId: number;
            roleAssignment: components["schemas"]["v1GivenRole"];
        };
        v1GroupRoleAssignment: {
            groupId?: number;
            roleAssignment?: components["schemas"]["v1RoleAssignment"];
        };
        v1GroupSearchResult: {
            group?: components["schemas"]["v1Group"];
            numMembers?: number;
        };
        v1HyperparameterImportance: {
            deviation?: number;
            importance?: number;
            name?: string;
        };
        v1Job: {
            allocatedSlots?: number;
            entityId?: string;
            isPreemptible?: boolean;
            jobId?: string;
            name?: string;
            priority?: number;
            progress?: number;
            requestedSlots?: number;
            resourcePool?: string;
            /** Format: date-time */
            submissionTime?: string;
            summary?: components["schemas"]["v1JobSummary"];
            type?: string;
            userId?: number;
            username?: string;
            weight?: components["schemas"]["v1MetricValue"];
            workspaceId?: number;
        };
        /** @enum {string} */
        v1JobState: "STATE_QUEUED" | "STATE_SCHEDULED" | "STATE_SCHEDULED_BACKFILLED";
        v1JobSummary: {
            jobsAhead?: number;
            state?: components["schemas"]["v1JobState"];
        };
        v1KillGenericTaskRequest: {
            /** @default false */
            killFromRoot?: boolean;
            taskId?: string;
        };
        v1LaunchNotebookResponse: {
            config?: {
                [key: string]: unknown;
            };
            configWarnings?: string[];
            notebook?: components["schemas"]["v1StandaloneTask"];
            warnings?: string[];
        };
        v1LaunchRequest: {
            config?: {
                [key: string]: unknown;
            };
            data?: unknown;
            files?: components["schemas"]["v1File"][];
            /** @default false */
            preview?: boolean;
            templateName?: string;
            workspaceId?: number;
        };
        v1LaunchTensorboardResponse: {
            config?: {
                [key: string]: unknown;
            };
            configWarnings?: string[];
            tensorboard?: components["schemas"]["v1StandaloneTask"];
            warnings?: string[];
        };
        v1ListWorkspacesBoundToRPResponse: {
            pagination?: components["schemas"]["v1Pagination"];
            workspaceIds?: number[];
        };
        v1LogFields: {
            agentIds?: string[];
            allocationIds?: string[];
            containerIds?: string[];
            rankIds?: number[];
            sources?: string[];
            stdtypes?: string[];
        };
        /** @enum {string} */
        v1LogLevel: "LOG_LEVEL_UNSPECIFIED" | "LOG_LEVEL_TRACE" | "LOG_LEVEL_DEBUG" | "LOG_LEVEL_INFO" | "LOG_LEVEL_WARNING" | "LOG_LEVEL_ERROR" | "LOG_LEVEL_CRITICAL";
        v1LogLine: {
            agentId?: string;
            allocationId?: string;
            containerId?: string;
            id?: string;
            level?: components["schemas"]["v1LogLevel"];
            log?: string;
            message?: string;
            rankId?: number;
            source?: string;
            stdtype?: components["schemas"]["v1StdType"];
            taskId?: string;
            /** Format: date-time */
            timestamp?: string;
            trialId?: number;
        };
        v1Login: {
            /** @default false */
            isHashed?: boolean;
            password?: string;
            username: string;
        };
        v1LoginResponse: {
            token?: string;
            user?: components["schemas"]["v1User"];
        };
        v1MetricName: {
            group?: string;
            name?: string;
        };
        v1MetricSummary: {
            count?: number;
            last?: components["schemas"]["v1MetricValue"];
            max?: components["schemas"]["v1MetricValue"];
            mean?: components["schemas"]["v1MetricValue"];
            min?: components["schemas"]["v1MetricValue"];
            sum?: components["schemas"]["v1MetricValue"];
            type?: string;
        };
        /** @enum {string} */
        v1MetricType: "METRIC_TYPE_UNSPECIFIED" | "METRIC_TYPE_TRAINING" | "METRIC_TYPE_VALIDATION";
        v1MetricValue: number | components["schemas"]["v1NotFinite"];
        v1Metrics: {
            avgMetrics?: {
                [key: string]: unknown;
            };
            batchMetrics?: unknown[];
        };
        v1MetricsWorkload: {
            /** Format: date-time */
            endTime?: string | null;
            metrics?: components["schemas"]["v1Metrics"];
            numInputs?: number;
            state?: string;
            totalBatches?: number;
        };
        v1Model: {
            archived?: boolean;
            /** Format: date-time */
            creationTime?: string;
            description?: string;
            id?: number;
            labels?: string[];
            /** Format: date-time */
            lastUpdatedTime?: string;
            metadata?: {
                [key: string]: unknown;
            };
            name?: string;
            notes?: string;
            numVersions?: number;
            userId?: number;
            username?: string;
            workspaceId?: number;
        };
        v1ModelAnswer: {
            model?: components["schemas"]["v1Model"];
        };
        v1ModelFields: {
            description?: string;
            labels?: string[];
            metadata?: {
                [key: string]: unknown;
            };
            name?: string;
            notes?: string;
            username?: string;
            /** @default 1 */
            workspaceId?: number;
            workspaceName?: string;
        };
        /** @enum {string} */
        v1ModelSort: "SORT_BY_UNSPECIFIED" | "SORT_BY_NAME" | "SORT_BY_DESCRIPTION" | "SORT_BY_CREATION_TIME" | "SORT_BY_LAST_UPDATED_TIME" | "SORT_BY_NUM_VERSIONS" | "SORT_BY_WORKSPACE";
        v1ModelVersion: {
            checkpoint?: components["schemas"]["v1Checkpoint"];
            comment?: string;
            /** Format: date-time */
            creationTime?: string;
            id?: number;
            labels?: string[];
            /** Format: date-time */
            lastUpdatedTime?: string;
            metadata?: {
                [key: string]: unknown;
            };
            model?: components["schemas"]["v1Model"];
            name?: string;
            notes?: string;
            userId?: number;
            username?: string;
            version?: number;
        };
        v1ModelVersionAnswer: {
            modelVersion?: components["schemas"]["v1ModelVersion"];
        };
        v1ModelVersionFields: {
            checkpoint?: components["schemas"]["v1NamedCheckpoint"];
            comment?: string;
            labels?: string[];
            metadata?: {
                [key: string]: unknown;
            };
            name?: string;
            notes?: string;
        };
        /** @enum {string} */
        v1ModelVersionSort: "SORT_BY_UNSPECIFIED" | "SORT_BY_VERSION" | "SORT_BY_CREATION_TIME";
        v1MoveExperimentRequest: {
            destinationProjectId: number;
            experimentId?: number;
        };
        v1MoveProjectRequest: {
            destinationWorkspaceId: number;
            projectId?: number;
        };
        v1NamedCheckpoint: {
            /** Format: uuid */
            uuid?: string;
        };
        v1NamedRole: {
            roleId: number;
        };
        v1NamedWorkspace: {
            namespaceBindings?: {
                [key: string]: unknown;
            };
            workspace?: components["schemas"]["v1Workspace"];
        };
        v1NamespaceMeta: {
            autoCreateNamespace?: boolean;
            autoCreateNamespaceAllClusters?: boolean;
            clusterName?: string;
            namespace?: string;
            resourceQuota?: number | null;
        };
        v1NewUser: {
            /** @default true */
            active?: boolean;
            /** @default false */
            admin?: boolean;
            agentUserGroup?: components["schemas"]["v1AgentUserGroup"];
            displayName?: string;
            /** @default false */
            remote?: boolean;
            username: string;
        };
        /** @enum {string} */
        v1NotFinite: "NaN" | "Infinity" | "-Infinity";
        v1Note: {
            contents?: string;
            name?: string;
        };
        v1NotebookAnswer: {
            notebook?: components["schemas"]["v1StandaloneTask"];
        };
        v1Notes: {
            notes?: components["schemas"]["v1Note"][];
        };
        /** @enum {string} */
        v1Order: "ORDER_BY_UNSPECIFIED" | "ORDER_BY_ASC" | "ORDER_BY_DESC";
        v1OverwriteRPWorkspaceBindingsRequest: {
            resourcePoolName?: string;
            workspaceIds?: number[];
            workspaceNames?: string[];
        };
        v1Pagination: {
            endIndex?: number;
            limit?: number;
            offset?: number;
            startIndex?: number;
            total?: number;
        };
        v1PatchAccessTokenRequest: {
            description?: string;
            /** @default false */
            setRevoked?: boolean;
            tokenId?: number;
        };
        v1PatchAccessTokenResponse: {
            tokenInfo?: components["schemas"]["v1TokenInfo"];
        };
        v1PatchExperimentRequest: {
            checkpointStorage?: components["schemas"]["v1ExperimentStorage"];
            description?: string;
            id?: number;
            labels?: string[];
            name?: string;
            notes?: string;
            resources?: components["schemas"]["v1ExperimentResources"];
        };
        v1PatchExperimentResponse: {
            experiment?: components["schemas"]["v1Experiment"];
        };
        v1PatchProjectRequest: {
            description?: string;
            key?: string;
            name?: string;
        };
        v1PatchUserRequest: {
            active?: boolean;
            admin?: boolean;
            agentUserGroup?: components["schemas"]["v1AgentUserGroup"];
            displayName?: string;
            /** @default false */
            isHashed?: boolean;
            password?: string;
            remote?: boolean;
            username?: string;
        };
        v1PatchWebhookRequest: {
            url: string;
        };
        v1PatchWorkspaceRequest: {
            agentUserGroup?: components["schemas"]["v1AgentUserGroup"];
            checkpointStorageConfig?: {
                [key: string]: unknown;
            };
            clusterNamespaceMeta?: {
                [key: string]: components["schemas"]["v1NamespaceMeta"];
            };
            clusterQuotaPairs?: {
                [key: string]: unknown;
            };
            defaultAuxResourcePool?: string;
            defaultComputeResourcePool?: string;
            name?: string;
        };
        v1Permission: {
            id?: string;
            name?: string;
            scopeTypeMask?: components["schemas"]["v1ScopeTypeMask"];
        };
        v1PostAccessTokenRequest: {
            description?: string;
            lifespan?: string;
            userId: number;
        };
        v1PostAccessTokenResponse: {
            token?: string;
            tokenId?: number;
        };
        v1PostModelVersionRequest: {
            /** Format: uuid */
            checkpointUuid: string;
            comment?: string;
            labels?: string[];
            metadata?: {
                [key: string]: unknown;
            };
            modelName?: string;
            name?: string;
            notes?: string;
        };
        v1PostProjectRequest: {
            description?: string;
            key?: string;
            name: string;
            workspaceId?: number;
        };
        v1PostUserRequest: {
            /** @default false */
            isHashed?: boolean;
            password?: string;
            user: components["schemas"]["v1NewUser"];
        };
        v1PostUserSettingRequest: {
            settings?: components["schemas"]["v1UserSetting"][];
        };
        v1PostWorkspaceRequest: {
            agentUserGroup?: components["schemas"]["v1AgentUserGroup"];
            checkpointStorageConfig?: {
                [key: string]: unknown;
            };
            clusterNamespaceMeta?: {
                [key: string]: components["schemas"]["v1NamespaceMeta"];
            };
            clusterQuotaPairs?: {
                [key: string]: number;
            };
            defaultAuxPool?: string;
            defaultComputePool?: string;
            name: string;
        };
        v1ProfilerBatch: {
            batches?: number[];
            labels?: components["schemas"]["v1ProfilerLabels"];
            timestamps?: string[];
            values?: components["schemas"]["v1MetricValue"][];
        };
        v1ProfilerLabels: {
            agentId?: string;
            gpuUuid?: string;
            metricType?: components["schemas"]["v1ProfilerMetricType"];
            name?: string;
            trialId?: number;
        };
        /** @enum {string} */
        v1ProfilerMetricType: "PROFILER_METRIC_TYPE_UNSPECIFIED" | "PROFILER_METRIC_TYPE_SYSTEM" | "PROFILER_METRIC_TYPE_TIMING" | "PROFILER_METRIC_TYPE_MISC";
        v1Project: {
            archived?: boolean;
            description?: string;
            errorMessage?: string;
            id?: number;
            immutable?: boolean;
            key?: string;
            /** Format: date-time */
            lastExperimentStartedAt?: string;
            name?: string;
            notes?: components["schemas"]["v1Note"][];
            numActiveExperiments?: number;
            numExperiments?: number;
            numRuns?: number;
            state?: components["schemas"]["v1WorkspaceState"];
            userId?: number;
            username?: string;
            workspaceId?: number;
            workspaceName?: string;
        };
        v1ProjectAnswer: {
            project?: components["schemas"]["v1Project"];
        };
        v1ProjectColumn: {
            column?: string;
            displayName?: string;
            location?: string;
            type?: string;
        };
        /** @enum {string} */
        v1ProjectSort: "SORT_BY_UNSPECIFIED" | "SORT_BY_ID" | "SORT_BY_NAME" | "SORT_BY_DESCRIPTION" | "SORT_BY_CREATION_TIME" | "SORT_BY_LAST_EXPERIMENT_START_TIME";
        v1ProxyPort: {
            port?: number;
            proxyTcp?: boolean;
            serviceId?: string;
            unauthenticated?: boolean;
        };
        v1PutExperimentLabelResponse: {
            labels?: string[];
        };
        v1PutProjectNotesRequest: {
            notes?: components["schemas"]["v1Note"][];
            projectId?: number;
        };
        v1QueueControl: {
            aheadOf?: string;
            behindOf?: string;
            jobId: string;
            maxSlots?: number;
            priority?: number;
            resourcePool?: string;
            weight?: number;
        };
        v1QueueStats: {
            queuedCount?: number;
            scheduledCount?: number;
        };
        v1ReplaySearchResponse: {
            decisions?: {
                [key: string]: unknown;
            }[];
            difference?: string;
            event?: {
                [key: string]: unknown;
            };
            seq?: number;
            summary?: components["schemas"]["v1ReplaySummary"];
            /** Format: date-time */
            time?: string;
        };
        v1ReplaySummary: {
            brackets?: components["schemas"]["v1SearchBracket"][];
            decisions?: {
                [key: string]: number;
            };
            events?: number;
            experiment?: number;
            isOver?: boolean;
            setAside?: number;
        };
        v1ResourceAllocationAggregatedResponse: {
            resourceEntries?: components["schemas"]["v1AggregatedUsage"][];
        };
        v1ResourcePool: {
            accelerator?: string;
            agentDockerImage?: string;
            agentDockerNetwork?: string;
            agentDockerRuntime?: string;
            agentFluentImage?: string;
            auxContainerCapacity?: number;
            auxContainerCapacityPerAgent?: number;
            auxContainersRunning?: number;
            clusterName?: string;
            containerStartupScript?: string;
            defaultAuxPool?: boolean;
            defaultComputePool?: boolean;
            description?: string;
            details?: {
                [key: string]: unknown;
            };
            imageId?: string;
            instanceType?: string;
            location?: string;
            masterCertName?: string;
            masterUrl?: string;
            maxAgentStartingPeriod?: number;
            maxAgents?: number;
            maxIdleAgentPeriod?: number;
            minAgents?: number;
            name?: string;
            numAgents?: number;
            preemptible?: boolean;
            resourceManagerMetadata?: {
                [key: string]: unknown;
            };
            resourceManagerName?: string;
            schedulerFittingPolicy?: string;
            schedulerType?: string;
            slotType?: string;
            slotsAvailable?: number;
            slotsPerAgent?: number;
            slotsUsed?: number;
            startupScript?: string;
            stats?: components["schemas"]["v1QueueStats"];
            type?: string;
        };
        v1Resources: {
            agentDevices?: {
                [key: string]: unknown;
            };
            allocationId?: string;
            containerId?: string;
            exited?: {
                [key: string]: unknown;
            } | null;
            resourcesId?: string;
            resourcesType?: string;
            started?: {
                [key: string]: unknown;
            } | null;
        };
        v1Role: {
            name?: string;
            permissions?: components["schemas"]["v1Permission"][];
            roleId?: number;
            scopeTypeMask?: components["schemas"]["v1ScopeTypeMask"];
        };
        v1RoleAssignment: {
            role?: components["schemas"]["v1Role"];
            scopeCluster?: boolean;
            scopeWorkspaceId?: number | null;
        };
        v1RoleAssignmentSummary: {
            roleId?: number;
            scopeCluster?: boolean;
            scopeWorkspaceIds?: number[];
        };
        v1RoleSummaries: {
            assignments?: components["schemas"]["v1RoleAssignmentSummary"][];
            roles?: components["schemas"]["v1Role"][];
        };
        v1RoleWithAssignments: {
            groupRoleAssignments?: components["schemas"]["v1GroupRoleAssignment"][];
            role?: components["schemas"]["v1Role"];
            userRoleAssignments?: components["schemas"]["v1UserRoleAssignment"][];
        };
        v1RungResult: {
            id?: string;
            metric?: number | null;
            trial?: number;
        };
        v1SSOProvider: {
            alwaysRedirect?: boolean;
            name?: string;
            ssoUrl?: string;
            type?: string;
        };
        v1ScopeTypeMask: {
            cluster?: boolean;
            workspace?: boolean;
        };
        v1SearchBracket: {
            rungs?: components["schemas"]["v1SearchRung"][];
        };
        v1SearchExperimentsResponse: {
            experiments?: components["schemas"]["v1FoundExperiment"][];
            pagination?: components["schemas"]["v1Pagination"];
        };
        v1SearchRequest: {
            filter?: string;
            /** @default 0 */
            limit?: number;
            /** @default 0 */
            offset?: number;
            projectId?: number;
            sort?: string;
        };
        v1SearchRung: {
            best?: components["schemas"]["v1RungResult"][];
            length?: number;
            results?: number;
            trials?: number;
        };
        v1SetClusterMessageRequest: {
            duration?: string;
            /** Format: date-time */
            endTime?: string;
            message: string;
            /** Format: date-time */
            startTime?: string;
        };
        v1ShellAccount: {
            gid?: number;
            group?: string;
            uid?: number;
            user?: string;
        };
        v1ShellAnswer: {
            shell?: components["schemas"]["v1StandaloneTask"];
        };
        v1Slot: {
            container?: components["schemas"]["v1Container"] | null;
            device?: components["schemas"]["v1Device"];
            draining?: boolean;
            enabled?: boolean;
            id?: string;
        };
        v1SlotAnswer: {
            slot?: components["schemas"]["v1Slot"];
        };
        v1SlotStats: {
            brandStats?: {
                [key: string]: components["schemas"]["v1DeviceStats"];
            };
            typeStats?: {
                [key: string]: components["schemas"]["v1DeviceStats"];
            };
        };
        v1StandaloneTask: {
            addresses?: unknown[];
            agentUserGroup?: components["schemas"]["v1ShellAccount"];
            container?: components["schemas"]["v1Container"] | null;
            description?: string;
            displayName?: string;
            exitStatus?: string;
            experimentIds?: number[];
            id?: string;
            /** Format: date-time */
            idleSince?: string;
            idleTimeout?: number;
            jobId?: string;
            privateKey?: string;
            publicKey?: string;
            resourcePool?: string;
            serviceAddress?: string;
            /** Format: date-time */
            startTime?: string;
            state?: components["schemas"]["v1TaskState"];
            trialIds?: number[];
            userId?: number;
            username?: string;
            workspaceId?: number;
        };
        /** @enum {string} */
        v1StdType: "stdout" | "stderr";
        v1StreamError: {
            details?: {
                [key: string]: unknown;
            }[];
            grpcCode?: number;
            httpCode?: number;
            httpStatus?: string;
            message?: string;
        };
        /** @enum {string} */
        v1TableType: "TABLE_TYPE_UNSPECIFIED" | "TABLE_TYPE_EXPERIMENT" | "TABLE_TYPE_RUN";
        v1Task: {
            allocations?: components["schemas"]["v1Allocation"][];
            config?: string;
            /** Format: date-time */
            endTime?: string | null;
            forkedFrom?: string;
            noPause?: boolean;
            parentId?: string;
            /** Format: date-time */
            startTime?: string;
            taskId?: string;
            taskState?: string;
            taskType?: string;
        };
        /** @enum {string} */
        v1TaskSort: "SORT_BY_UNSPECIFIED" | "SORT_BY_ID" | "SORT_BY_DESCRIPTION" | "SORT_BY_START_TIME" | "SORT_BY_STATE" | "SORT_BY_USER" | "SORT_BY_WORKSPACE_ID" | "SORT_BY_RESOURCE_POOL";
        /** @enum {string} */
        v1TaskState: "STATE_UNSPECIFIED" | "STATE_PENDING" | "STATE_QUEUED" | "STATE_PULLING" | "STATE_STARTING" | "STATE_RUNNING" | "STATE_WAITING" | "STATE_TERMINATING" | "STATE_TERMINATED";
        v1Template: {
            config?: {
                [key: string]: unknown;
            };
            name?: string;
            workspaceId?: number;
        };
        v1TemplateAnswer: {
            template?: components["schemas"]["v1Template"];
        };
        v1TemplateChange: {
            config?: {
                [key: string]: unknown;
            };
            name?: string;
            workspaceId?: number;
        };
        v1TemplateFields: {
            config: {
                [key: string]: unknown;
            };
            name?: string;
            /** @default 1 */
            workspaceId?: number;
        };
        /** @enum {string} */
        v1TemplateSort: "SORT_BY_UNSPECIFIED" | "SORT_BY_NAME";
        v1TensorBoardAnswer: {
            tensorboard?: components["schemas"]["v1StandaloneTask"];
        };
        v1TensorBoardRequest: {
            config?: {
                [key: string]: unknown;
            };
            experimentIds?: number[];
            files?: components["schemas"]["v1File"][];
            filters?: components["schemas"]["v1BulkFilters"];
            /** @default false */
            preview?: boolean;
            templateName?: string;
            trialIds?: number[];
            workspaceId?: number;
        };
        v1TestWebhookResponse: {
            completed?: boolean;
        };
        v1TokenInfo: {
            /** Format: date-time */
            createdAt?: string;
            description?: string;
            /** Format: date-time */
            expiry?: string;
            id?: number;
            revoked?: boolean;
            tokenType?: string;
            userId?: number;
        };
        /** @enum {string} */
        v1TokenSort: "SORT_BY_UNSPECIFIED" | "SORT_BY_USER_ID" | "SORT_BY_EXPIRY" | "SORT_BY_CREATED_AT" | "SORT_BY_TOKEN_TYPE" | "SORT_BY_REVOKED" | "SORT_BY_DESCRIPTION";
        v1Trial: {
            bestCheckpoint?: components["schemas"]["v1CheckpointWorkload"] | null;
            bestValidation?: components["schemas"]["v1MetricsWorkload"] | null;
            checkpointCount?: number;
            /** Format: date-time */
            endTime?: string | null;
            experimentId?: number;
            hparams?: {
                [key: string]: unknown;
            };
            id?: number;
            latestValidation?: components["schemas"]["v1MetricsWorkload"] | null;
            logPolicyMatched?: string;
            logRetentionDays?: number;
            metadata?: {
                [key: string]: unknown;
            };
            restarts?: number;
            runnerState?: string;
            searcherMetricValue?: components["schemas"]["v1MetricValue"];
            /** Format: date-time */
            startTime?: string;
            state?: components["schemas"]["v1TrialState"];
            summaryMetrics?: {
                [key: string]: {
                    [key: string]: components["schemas"]["v1MetricSummary"];
                };
            } | null;
            taskId?: string;
            taskIds?: string[];
            totalBatchesProcessed?: number;
            /** Format: int64 */
            totalCheckpointSize?: string;
            wallClockTime?: components["schemas"]["v1MetricValue"];
            warmStartCheckpointUuid?: string;
        };
        v1TrialAnswer: {
            trial?: components["schemas"]["v1Trial"];
        };
        /** @enum {string} */
        v1TrialSort: "SORT_BY_UNSPECIFIED" | "SORT_BY_ID" | "SORT_BY_START_TIME" | "SORT_BY_END_TIME" | "SORT_BY_STATE" | "SORT_BY_BEST_VALIDATION_METRIC" | "SORT_BY_LATEST_VALIDATION_METRIC" | "SORT_BY_BATCHES_PROCESSED" | "SORT_BY_DURATION" | "SORT_BY_RESTARTS" | "SORT_BY_CHECKPOINT_SIZE" | "SORT_BY_LOG_RETENTION_DAYS";
        /** @enum {string} */
        v1TrialState: "STATE_UNSPECIFIED" | "STATE_ACTIVE" | "STATE_PAUSED" | "STATE_STOPPING_COMPLETED" | "STATE_STOPPING_CANCELED" | "STATE_STOPPING_KILLED" | "STATE_STOPPING_ERROR" | "STATE_COMPLETED" | "STATE_CANCELED" | "STATE_ERROR" | "STATE_QUEUED" | "STATE_PULLING" | "STATE_STARTING" | "STATE_RUNNING";
        v1Trigger: {
            condition?: unknown;
            id?: number;
            triggerType: components["schemas"]["v1TriggerType"];
            webhookId?: number;
        };
        /** @enum {string} */
        v1TriggerType: "TRIGGER_TYPE_UNSPECIFIED" | "TRIGGER_TYPE_EXPERIMENT_STATE_CHANGE" | "TRIGGER_TYPE_METRIC_THRESHOLD_EXCEEDED" | "TRIGGER_TYPE_TASK_LOG" | "TRIGGER_TYPE_CUSTOM";
        v1UpdateGroupRequest: {
            addUsers?: number[];
            groupId?: number;
            name?: string;
            removeUsers?: number[];
        };
        v1UpdateJobQueueRequest: {
            updates?: components["schemas"]["v1QueueControl"][];
        };
        /** @enum {string} */
        v1UsagePeriod: "RESOURCE_ALLOCATION_AGGREGATION_PERIOD_DAILY" | "RESOURCE_ALLOCATION_AGGREGATION_PERIOD_MONTHLY";
        v1User: {
            active?: boolean;
            admin?: boolean;
            agentUserGroup?: components["schemas"]["v1AgentUserGroup"] | null;
            displayName?: string;
            id?: number;
            /** Format: date-time */
            lastAuthAt?: string;
            /** Format: date-time */
            modifiedAt?: string;
            remote?: boolean;
            username?: string;
        };
        v1UserAnswer: {
            user?: components["schemas"]["v1User"];
        };
        v1UserGivenRole: {
            roleAssignment: components["schemas"]["v1GivenRole"];
            userId: number;
        };
        v1UserRoleAssignment: {
            roleAssignment?: components["schemas"]["v1RoleAssignment"];
            userId?: number;
        };
        v1UserSetting: {
            key: string;
            storagePath?: string;
            value?: string;
        };
        /** @enum {string} */
        v1UserSort: "SORT_BY_UNSPECIFIED" | "SORT_BY_DISPLAY_NAME" | "SORT_BY_USER_NAME" | "SORT_BY_ADMIN" | "SORT_BY_ACTIVE" | "SORT_BY_MODIFIED_TIME" | "SORT_BY_NAME" | "SORT_BY_LAST_AUTH_TIME" | "SORT_BY_REMOTE";
        v1WaitingTrial: {
            message?: string;
            scheduling?: {
                [key: string]: unknown;
            } | null;
            trialId?: number;
        };
        v1Webhook: {
            id?: number;
            /** @default WEBHOOK_MODE_WORKSPACE */
            mode?: components["schemas"]["v1WebhookMode"];
            name?: string;
            triggers?: components["schemas"]["v1Trigger"][];
            url: string;
            webhookType: components["schemas"]["v1WebhookType"];
            workspaceId?: number;
        };
        v1WebhookAnswer: {
            webhook?: components["schemas"]["v1Webhook"];
        };
        /** @enum {string} */
        v1WebhookMode: "WEBHOOK_MODE_WORKSPACE" | "WEBHOOK_MODE_SPECIFIC";
        /** @enum {string} */
        v1WebhookType: "WEBHOOK_TYPE_DEFAULT" | "WEBHOOK_TYPE_SLACK";
        /** @enum {string} */
        v1WorkloadType: "EXPERIMENT" | "NTSC";
        v1Workspace: {
            agentUserGroup?: components["schemas"]["v1AgentUserGroup"] | null;
            archived?: boolean;
            checkpointStorageConfig?: {
                [key: string]: unknown;
            } | null;
            defaultAuxPool?: string;
            defaultComputePool?: string;
            errorMessage?: string;
            id?: number;
            immutable?: boolean;
            name?: string;
            numExperiments?: number;
            numProjects?: number;
            pinned?: boolean;
            /** Format: date-time */
            pinnedAt?: string;
            state?: components["schemas"]["v1WorkspaceState"];
            userId?: number;
            username?: string;
        };
        /** @enum {string} */
        v1WorkspaceSort: "SORT_BY_UNSPECIFIED" | "SORT_BY_ID" | "SORT_BY_NAME";
        /** @enum {string} */
        v1WorkspaceState: "WORKSPACE_STATE_UNSPECIFIED" | "WORKSPACE_STATE_DELETING" | "WORKSPACE_STATE_DELETE_FAILED" | "WORKSPACE_STATE_DELETED";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
