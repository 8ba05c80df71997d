"""Presigns the cases on standard input with botocore, which shares no code with the platform. Prints their URLs."""

import datetime
import json
import sys
from unittest import mock
from urllib.parse import quote, urlsplit

from botocore.auth import S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials


def url_of(case):
    scheme, host = urlsplit(case["endpoint"])[:2]
    key = quote(case["key"], safe="/~")
    if case["forcePathStyle"]:
        return f"{scheme}://{host}/{case['bucket']}/{key}"
    return f"{scheme}://{case['bucket']}.{host}/{key}"


def presign(case):
    request = AWSRequest(case["method"], url_of(case), headers=case["headers"], params=case["query"])
    credentials = Credentials(case["accessKeyId"], case["secretAccessKey"], case["sessionToken"])
    signed_at = datetime.datetime.strptime(case["signedAt"], "%Y-%m-%dT%H:%M:%S.%fZ")
    with mock.patch("botocore.auth.datetime") as clock:
        clock.datetime.utcnow.return_value = signed_at
        S3SigV4QueryAuth(credentials, "s3", case["region"], case["expiresInSeconds"]).add_auth(request)
    return request.url


print(json.dumps([presign(case) for case in json.load(sys.stdin)]))
