"""Creates a command and reads it back with the standard library alone. Set TOP_BASE_URL, TOP_CLIENT_ID, TOP_SECRET."""
import hashlib, hmac, json, os, secrets, sys, time, urllib.error, urllib.request, uuid


def string_to_sign(method: str, target: str, client_id: str, timestamp: str, nonce: str, body: bytes) -> str:
    body_sha256 = hashlib.sha256(body).hexdigest()
    return "\n".join(["HMAC-SHA256-V1", method, target, client_id, timestamp, nonce, body_sha256])


def signature(secret: str, text: str) -> str:
    return "v1=" + hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def send(method: str, target: str, value: object = None) -> dict:
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
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        sys.exit(refusal.read().decode())


if __name__ == "__main__":
    reboot = {"vendor": "vendor_a", "device_id": "ok-1", "command_type": "reboot", "payload": {}}
    accepted = send("POST", "/api/v1/open/downlink/commands", {**reboot, "idempotency_key": str(uuid.uuid4())})
    print(json.dumps(send("GET", "/api/v1/open/downlink/commands/" + accepted["command_id"]), indent=2))
