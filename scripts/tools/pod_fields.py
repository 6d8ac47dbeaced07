#!/usr/bin/env python3
"""Every field of a pod's metadata and spec, one path a line, from an OpenAPI document that Kubernetes publishes: its
api/openapi-spec (swagger.json or v3/api__v1_openapi.json), or what a running API server says at /openapi/v3/api/v1. What
tests/model/pod/pod_allowed_fields_test.cc holds the product's table against:

    kubectl get --raw /openapi/v3/api/v1 | scripts/tools/pod_fields.py > tests/model/pod_fields/kubernetes-1.36.txt
"""

import json
import sys


def schemas_of(document):
    return document["definitions"] if "definitions" in document else document["components"]["schemas"]


def below(schema):
    """What a field holds: the schema of its items or values, where it is a list or a map."""
    if schema.get("type") == "array":
        return below(schema["items"])
    if isinstance(schema.get("additionalProperties"), dict):
        return below(schema["additionalProperties"])
    return schema


def target(schema):
    """The name of the schema that is meant; None for a value."""
    for one in [schema, *schema.get("allOf", [])]:
        if "$ref" in one:
            return one["$ref"].rsplit("/", 1)[1]
    return None


def leaves(schemas, name, path):
    for field, schema in sorted(schemas[name]["properties"].items()):
        here = f"{path}.{field}" if path else field
        held = target(below(schema))
        # A quantity, a time and "any JSON" are named schemas too, without fields.
        if held and schemas[held].get("properties"):
            yield from leaves(schemas, held, here)
        else:
            yield here


def main():
    source = open(sys.argv[1]) if len(sys.argv) > 1 else sys.stdin
    with source:
        schemas = schemas_of(json.load(source))
    for path in leaves(schemas, "io.k8s.api.core.v1.PodTemplateSpec", ""):
        print(path)


if __name__ == "__main__":
    main()
