"""What schemathesis may not ask: a stream that follows never ends, and one who waits for an hour learns nothing."""

import schemathesis


@schemathesis.hook
def before_call(_context, case, _kwargs):
    query = case.query if isinstance(case.query, dict) else {}
    if str(query.get("follow")).lower() in ("true", "1"):
        query["follow"] = "false"
    for name in ("timeoutSeconds", "timeout_seconds"):
        if name in query:
            query[name] = 1
