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
        post?: never;
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
        post?: never;
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
                    agentIds?: string[];
                    allocationIds?: string[];
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
        post?: never;
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
        post?: never;
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        v1ActionResult: {
            error?: string;
            id?: number;
        };
        v1AgentUserGroup: {
            agentGid?: number;
            agentGroup?: string;
            agentUid?: number;
            agentUser?: string;
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
        v1CompareTrialsResponse: {
            trials?: components["schemas"]["v1ComparedTrial"][];
        };
        v1ComparedTrial: {
            metrics?: components["schemas"]["v1Curve"][];
            trial?: components["schemas"]["v1Trial"];
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
        v1GetModelsResponse: {
            models?: components["schemas"]["v1Model"][];
            pagination?: components["schemas"]["v1Pagination"];
        };
        v1GetProjectColumnsResponse: {
            columns?: components["schemas"]["v1ProjectColumn"][];
        };
        v1GetTaskResponse: {
            task?: components["schemas"]["v1Task"];
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
        v1GetWorkspaceProjectsResponse: {
            pagination?: components["schemas"]["v1Pagination"];
            projects?: components["schemas"]["v1Project"][];
        };
        v1GetWorkspacesResponse: {
            pagination?: components["schemas"]["v1Pagination"];
            workspaces?: components["schemas"]["v1Workspace"][];
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
        v1MoveExperimentRequest: {
            destinationProjectId: number;
            experimentId?: number;
        };
        /** @enum {string} */
        v1NotFinite: "NaN" | "Infinity" | "-Infinity";
        v1Note: {
            contents?: string;
            name?: string;
        };
        /** @enum {string} */
        v1Order: "ORDER_BY_UNSPECIFIED" | "ORDER_BY_ASC" | "ORDER_BY_DESC";
        v1Pagination: {
            endIndex?: number;
            limit?: number;
            offset?: number;
            startIndex?: number;
            total?: number;
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
        v1PostUserSettingRequest: {
            settings?: components["schemas"]["v1UserSetting"][];
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
        v1ProjectColumn: {
            column?: string;
            displayName?: string;
            location?: string;
            type?: string;
        };
        /** @enum {string} */
        v1ProjectSort: "SORT_BY_UNSPECIFIED" | "SORT_BY_ID" | "SORT_BY_NAME" | "SORT_BY_DESCRIPTION" | "SORT_BY_CREATION_TIME" | "SORT_BY_LAST_EXPERIMENT_START_TIME";
        v1PutExperimentLabelResponse: {
            labels?: string[];
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
        v1TaskState: "STATE_UNSPECIFIED" | "STATE_PENDING" | "STATE_QUEUED" | "STATE_PULLING" | "STATE_STARTING" | "STATE_RUNNING" | "STATE_WAITING" | "STATE_TERMINATING" | "STATE_TERMINATED";
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
        v1TrialSort: "SORT_BY_UNSPECIFIED" | "SORT_BY_ID" | "SORT_BY_START_TIME" | "SORT_BY_END_TIME" | "SORT_BY_STATE" | "SORT_BY_BEST_VALIDATION_METRIC" | "SORT_BY_LATEST_VALIDATION_METRIC" | "SORT_BY_BATCHES_PROCESSED" | "SORT_BY_DURATION" | "SORT_BY_RESTARTS" | "SORT_BY_CHECKPOINT_SIZE";
        /** @enum {string} */
        v1TrialState: "STATE_UNSPECIFIED" | "STATE_ACTIVE" | "STATE_PAUSED" | "STATE_STOPPING_COMPLETED" | "STATE_STOPPING_CANCELED" | "STATE_STOPPING_KILLED" | "STATE_STOPPING_ERROR" | "STATE_COMPLETED" | "STATE_CANCELED" | "STATE_ERROR" | "STATE_QUEUED" | "STATE_PULLING" | "STATE_STARTING" | "STATE_RUNNING";
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
        v1UserSetting: {
            key: string;
            storagePath?: string;
            value?: string;
        };
        v1WaitingTrial: {
            message?: string;
            scheduling?: {
                [key: string]: unknown;
            } | null;
            trialId?: number;
        };
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
