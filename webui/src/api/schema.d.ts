// Made by scripts/types.mjs from the server's OpenAPI: do not edit.
export interface paths {
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
        /** @enum {string} */
        v1NotFinite: "NaN" | "Infinity" | "-Infinity";
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
        v1SSOProvider: {
            alwaysRedirect?: boolean;
            name?: string;
            ssoUrl?: string;
            type?: string;
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
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
