"""Hooks of Schemathesis: sign each request with TOP_CLIENT_ID and TOP_SECRET, and aim at objects that exist."""

import hashlib
import hmac
import os
import re
import secrets
import time
from collections import defaultdict, deque

import requests
import schemathesis
from schemathesis.core import NOT_SET

OWN_CLIENT_ID = os.environ["TOP_CLIENT_ID"]
PATH_PARAMETERS = (
    "tenant_id client_id role policy_id principal_id vendor command_type command_id endpoint_id subscription_id "
    "credential_id resource_id"
).split()
# In the answers `request_id` is the correlation id, in the path it is the id of a device request.
ID_OF_DEVICE_REQUEST = "device_request_id"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

seen = defaultdict(lambda: deque(maxlen=20))


class Signed(requests.auth.AuthBase):
    def __call__(self, request):
        body = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        sent = [OWN_CLIENT_ID, str(int(time.time())), secrets.token_hex(16)]
        text = "\n".join(["HMAC-SHA256-V1", request.method, request.path_url, *sent, hashlib.sha256(body).hexdigest()])
        signature = hmac.new(os.environ["TOP_SECRET"].encode(), text.encode(), hashlib.sha256).hexdigest()
        names = ["X-Api-Id", "X-Api-Timestamp", "X-Api-Nonce", "X-Api-Signature"]
        request.headers.update(zip(names, [*sent, "v1=" + signature]))
        return request


schemathesis.auth.set_from_requests(Signed())


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Every request is signed: with `security` Schemathesis takes the signature away and expects a refusal.
    `default` covers the statuses of later versions: with it every status of this version conforms."""
    del raw_schema["security"]
    for methods in raw_schema["paths"].values():
        for operation in methods.values():
            del operation["responses"]["default"]


@schemathesis.hook
def map_query(context, query):
    """No long polls: they answer the same, but later."""
    if query and "wait_seconds" in query and query["wait_seconds"] in [*range(31), *map(str, range(31))]:
        query["wait_seconds"] = 0
    return query


def halve(value):
    """Decides by the value alone, so that a case is the same when it is repeated."""
    return hashlib.sha256(value.encode()).digest()[0] < 128


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    """Half of the well-formed ids become ids that an earlier answer showed."""
    for name, value in (path_parameters or {}).items():
        known = seen[ID_OF_DEVICE_REQUEST if name == "request_id" else name]
        if not isinstance(value, str) or not known or not halve(value):
            continue
        if (UUID if UUID.fullmatch(known[0]) else NAME).fullmatch(value):
            path_parameters[name] = known[len(value) % len(known)]
    return path_parameters


@schemathesis.hook
def map_body(context, body):
    """Half of the commands go to a device of the simulated fleet, which answers and asks."""
    command = ("vendor", "device_id", "command_type")
    if isinstance(body, dict) and all(isinstance(body.get(name), str) and NAME.fullmatch(body[name]) for name in command):
        if halve(body["device_id"]):
            body |= {"vendor": "vendor_a", "device_id": "ok-" + body["device_id"][:32], "command_type": "reboot"}
    return body


@schemathesis.hook
def before_call(context, case, kwargs):
    """GET and DELETE with a body are refused as MALFORMED_HTTP whatever the path: try methods without one."""
    if case.method in ("GET", "DELETE", "HEAD", "OPTIONS", "TRACE"):
        case.body = NOT_SET


def remember(value):
    if isinstance(value, list):
        for item in value:
            remember(item)
    elif isinstance(value, dict) and value.get("client_id") != OWN_CLIENT_ID:
        for name, item in value.items():
            if name in PATH_PARAMETERS or name == ID_OF_DEVICE_REQUEST:
                if isinstance(item, str) and item not in seen[name] and item != "vendor_a":
                    seen[name].append(item)
            else:
                remember(item)


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code < 300 and response.headers.get("content-type", [""])[0].startswith("application/json"):
        remember(response.json())
