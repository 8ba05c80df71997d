"""A pool of urllib3 that signs, for clients that openapi-generator makes."""

import secrets
import time
from urllib.parse import urlsplit

import urllib3

from send_command import signature, string_to_sign


class Mismatch(Exception):
    """The key belongs to another command: the platform has created nothing."""


class SigningPool(urllib3.PoolManager):
    def __init__(self, client_id: str, secret: str, **options):
        super().__init__(**options)
        self.client_id, self.secret = client_id, secret

    def urlopen(self, method, url, redirect=True, **options):
        body, parts = options.get("body") or b"", urlsplit(url)
        target = parts.path + ("?" + parts.query if parts.query else "")
        sent = [self.client_id, str(int(time.time())), secrets.token_hex(16)]
        text = string_to_sign(method, target, *sent, body.encode() if isinstance(body, str) else body)
        names = ["X-Api-Id", "X-Api-Timestamp", "X-Api-Nonce", "X-Api-Signature"]
        headers = {**(options.pop("headers", None) or {}), **dict(zip(names, [*sent, signature(self.secret, text)]))}
        # An attempt that is repeated would repeat its nonce.
        answer = super().urlopen(method, url, redirect, **{**options, "headers": headers, "retries": False})
        if mismatch := answer.headers.get("Idempotency-Mismatch"):
            answer.release_conn()
            raise Mismatch(f"The key belongs to another command: {mismatch} differ.")
        return answer
