"""What an adapter may tell of the end of a command."""

import json
from datetime import datetime, timezone

LARGEST = 2**53 - 1  # Of an integer in JSON.


def beside_another(update):
    """Another process may have carried it out too. That the device has done it stays true, that it has done nothing does not."""
    said = update.get("device_execution_status")
    told = {key: value for key, value in update.items() if key != "adapter_status"}
    told |= {"device_execution_status": said if said in ("SUCCEEDED", "FAILED") else "TIMED_OUT"}
    return told | reason_beside(told, "SENT_TWICE", "The adapter stood still meanwhile: another process may have carried out the command too.")


def reason_beside(update, code, message):
    """Beside the adapter's own reason, never instead of it."""
    own = update.get("status_reason") or {}
    if not own.get("code"):
        return reason(code, message)
    return reason(own["code"], f"{str(own.get('message') or '')[:700]} ({code}. {message})".strip())


def problem_of(value):
    """What the platform does not take of a result or payload, or None."""
    if not isinstance(value, dict):
        return "it is no object"
    if problem := problem_in(value, 31):
        return problem
    return "larger than 32 KiB" if len(json.dumps(value, ensure_ascii=False).encode()) > 32_768 else None


def problem_in(value, levels):
    if isinstance(value, str):
        return "a text contains NUL or half a surrogate pair" if cleaned(value) != value else None
    if isinstance(value, float) and value - value != 0:
        return f"{value} is no number of JSON"
    if isinstance(value, (int, float)) and abs(value) > LARGEST and value == int(value):
        return f"{value} is an integer beyond 2**53 - 1: send it as text"
    if value is None or isinstance(value, (bool, int, float)):
        return None
    if levels == 0:
        return "nested too deep"
    if isinstance(value, dict):
        if any(not isinstance(key, str) or key == "__proto__" for key in value):
            return "a key is no text, or __proto__"
        value = [*value, *value.values()]
    if isinstance(value, (list, tuple)):
        return next((problem for part in value if (problem := problem_in(part, levels - 1))), None)
    return f"a {type(value).__name__} is no JSON"


def unsigned(value):
    """-0.0 is 0.0: a thermometer about freezing."""
    if isinstance(value, dict):
        return {key: unsigned(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [unsigned(part) for part in value]
    return 0.0 if isinstance(value, float) and value == 0 else value


def cleaned(text):
    return text.replace("\0", "").encode(errors="replace").decode()


def reason(code, message):
    return {"status_reason": {"code": cleaned(str(code))[:128], "message": cleaned(str(message or ""))[:1024]}} if code else {}


def dated(update):
    return update | {"occurred_at": datetime.now(timezone.utc).isoformat()}
