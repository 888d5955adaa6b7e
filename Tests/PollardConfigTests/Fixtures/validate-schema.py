# SPDX-License-Identifier: Apache-2.0
"""Reads {"schema": ..., "documents": {name: document}}; writes {name: first error or null}."""

import json
import sys

import jsonschema

request = json.load(sys.stdin)
jsonschema.Draft202012Validator.check_schema(request["schema"])
validator = jsonschema.Draft202012Validator(request["schema"])
answer = {}
for name, document in request["documents"].items():
    error = next(validator.iter_errors(document), None)
    answer[name] = None if error is None else f"{error.json_path}: {error.message}"
json.dump(answer, sys.stdout)
