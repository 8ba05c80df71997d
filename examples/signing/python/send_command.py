"""Creates a command and waits for its outcome. Set TOP_BASE_URL, TOP_CLIENT_ID, TOP_SECRET."""
import hashlib, hmac, json, os, secrets, sys, time, urllib.error, urllib.request, uuid


def string_to_sign(method: str, target: str, client_id: str, timestamp: str, nonce: str, body: bytes) -> str:
    body_sha256 = hashlib.sha256(body).hexdigest()
    return "\n".join(["HMAC-SHA256-V1", method, target, client_id, timestamp, nonce, body_sha256])


def signature(secret: str, text: str) -> str:
    return "v1=" + hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


class Refusal(Exception):
    """The status, the headers and the body of a refusal. The body is text: JSON, if the platform wrote it."""

    def __init__(self, status: int, headers, body: str):
        super().__init__(body)
        self.status, self.headers, self.body = status, headers, body


def send(method: str, target: str, value: object = None) -> tuple:
    """Returns the status, the headers and the value of the body. The case of a header's name does not matter."""
    body = b"" if value is None else json.dumps(value).encode()
    client_id, timestamp, nonce = os.environ["TOP_CLIENT_ID"], str(int(time.time())), secrets.token_hex(16)
    text = string_to_sign(method, target, client_id, timestamp, nonce, body)
    headers = {
        "X-Api-Id": client_id,
        "X-Api-Timestamp": timestamp,
        "X-Api-Nonce": nonce,
        "X-Api-Signature": signature(os.environ["TOP_SECRET"], text),
        "Content-Type": "application/json",
    }
    url = os.environ["TOP_BASE_URL"] + target
    request = urllib.request.Request(url, data=body or None, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers, json.load(answer)
    except urllib.error.HTTPError as refusal:
        raise Refusal(refusal.code, refusal.headers, refusal.read().decode(errors="replace")) from None


if __name__ == "__main__":
    commands = "/api/v1/open/downlink/commands"
    reboot = {"vendor": "vendor_a", "device_id": "ok-1", "command_type": "reboot", "payload": {}}
    try:
        _, headers, accepted = send("POST", commands, {**reboot, "idempotency_key": str(uuid.uuid4())})
        if mismatch := headers["Idempotency-Mismatch"]:
            sys.exit(f"The key belongs to another command: {mismatch} differ.")
        _, _, command = send("GET", f"{commands}/{accepted['command_id']}?wait_seconds=30")
    except Refusal as refusal:
        sys.exit(refusal.body)
    print(json.dumps(command, indent=2))
