"""An adapter for Python 3.11 or newer: pip install "nats-py[nkeys]". What your devices do is in devices.py."""

import asyncio, json, os, signal, time, traceback, uuid
from datetime import datetime, timezone

import nats, nkeys

from devices import adapter_says, carry_out, device_says

TENANT_ID, VENDOR, SEED_FILE = os.environ["TENANT_ID"], os.environ["VENDOR"], os.environ.get("NATS_NKEY_SEED_FILE")
API = "TOP.API" if SEED_FILE else "$JS.API"  # Without a seed: a NATS that has no accounts.
DURABLE = f"{TENANT_ID}+{VENDOR}"
AT_ONCE = 4096  # A command that waits for a silent device costs little.
NO_ANSWER = (TimeoutError, nats.errors.Error)  # What nats-py raises.


class Bus:
    """Publishes messages until NATS has acknowledged them, and reads durables through all outages."""

    def __init__(self, connection):
        self.connection, self.stream = connection, connection.jetstream(prefix=API)
        self.stopping, self.awaited = asyncio.Event(), {}

    async def publish(self, kind, tenant_id, body, message_id, traceparent=None):
        subject, data = f"tenants.{tenant_id}.{kind}.{VENDOR}", json.dumps(body).encode()
        headers = {"Nats-Msg-Id": message_id} | ({"traceparent": traceparent} if traceparent else {})
        pause = 0
        while True:
            try:
                acknowledged = await self.stream.publish(subject, data, timeout=2, headers=headers)
                if not acknowledged.duplicate or pause > 0:
                    return
                headers["Nats-Msg-Id"] = str(uuid.uuid4())  # Another message had the id: NATS has dropped this one.
            except NO_ANSWER as error:
                print("Published again:", repr(error), flush=True)
                pause = min(5, pause * 2 or 0.25)
                await asyncio.sleep(pause)

    async def request(self, tenant_id, request):
        key = tenant_id, request["dedupe_id"]
        reply = self.awaited[key] = asyncio.get_running_loop().create_future()
        try:
            await self.publish("device-requests", tenant_id, request, str(uuid.uuid4()))
            return await asyncio.wait_for(reply, request["expires_in_seconds"] + 1)
        except TimeoutError:
            return None
        finally:
            del self.awaited[key]

    async def read(self, stream, take):
        """Until the process stops. Says when it cannot read."""
        in_work, said = set(), None
        while not self.stopping.is_set():
            try:
                await self.read_on(stream, take, in_work)
            except NO_ANSWER as error:
                if said != repr(error):
                    said = repr(error)
                    print(f"Cannot read {DURABLE} on {stream}: {said}. Is a principal registered?", flush=True)
                await asyncio.sleep(1)
        await asyncio.gather(*in_work)

    async def read_on(self, stream, take, in_work):
        reconnects = self.connection.stats["reconnects"]
        info = await self.info(stream)
        # What is older may have begun. A NATS that was killed may have forgotten even that it has delivered it.
        new_since = max(instant(info["created"]), instant(info["ts"]) if "ts" in info else time.time())
        counted_since = instant(info["created"]) if info["delivered"].get("last_active") else new_since
        subscription = await self.stream.pull_subscribe_bind(DURABLE, stream)
        print(f"Reads {DURABLE} on {stream}.", flush=True)
        silence = 0
        while not self.stopping.is_set() and reconnects == self.connection.stats["reconnects"]:
            if len(in_work) >= AT_ONCE:
                await asyncio.wait(in_work, return_when=asyncio.FIRST_COMPLETED)
            try:
                [message] = await subscription.fetch(1, timeout=1)
            except TimeoutError:  # There was no message. Nobody says if the durable is gone.
                silence += 1
                if silence % 30 == 0:
                    await self.info(stream)
                continue
            stored_at = message.metadata.timestamp.timestamp()
            is_again = message.metadata.num_delivered > 1 or "Sent-Again" in (message.headers or {})
            is_first = not is_again and stored_at > counted_since
            task = asyncio.create_task(take(message, is_again or stored_at <= new_since, is_first))
            in_work.add(task)
            task.add_done_callback(in_work.discard)

    async def info(self, stream):
        answer = await self.connection.request(f"{API}.CONSUMER.INFO.{stream}.{DURABLE}", timeout=5)
        info = json.loads(answer.data)
        if "error" in info:
            raise nats.errors.Error(info["error"]["description"])
        return info


class Context:
    """What your devices may need beside the command."""

    def __init__(self, bus, command, redelivered, traceparent):
        self.bus, self.command, self.traceparent = bus, command, traceparent
        self.redelivered = redelivered  # An earlier run may have begun: ask the device before it acts twice.

    async def progress(self, status):
        """DELIVERED: the device has the command. IN_PROGRESS: the device executes it."""
        await self.report({"adapter_status" if status == "DELIVERED" else "device_execution_status": status})

    async def report(self, update):
        command_id, now = self.command["command_id"], datetime.now(timezone.utc).isoformat()
        status = update.get("device_execution_status") or update["adapter_status"]
        body = update | {"command_id": command_id, "occurred_at": now}
        tenant_id = self.command["tenant_id"]
        await self.bus.publish("command-updates", tenant_id, body, f"{command_id} {status}", self.traceparent)

    async def request(self, request_type, payload, dedupe_id, expires_in_seconds=300):
        """A request of the device. Returns the reply, or None if nobody replied in time."""
        request = {"device_id": self.command["device_id"], "request_type": request_type, "payload": payload}
        request |= {"dedupe_id": dedupe_id, "expires_in_seconds": expires_in_seconds}
        return await self.bus.request(self.command["tenant_id"], request)


async def outcome_of(context, is_first, remaining):
    if remaining <= 0:  # Not started, unless an earlier process has.
        message = "The command reached the adapter after its deadline."
        return adapter_says("UNREACHABLE", "NOT_STARTED", message) if is_first else None
    try:
        outcome = await asyncio.wait_for(carry_out(context.command, context), remaining)
    except Exception as error:  # The device may have executed the command. The tenant does not see the error.
        traceback.print_exception(error)
        return device_says("TIMED_OUT", "ADAPTER_ERROR", "The device may have executed the command.")
    try:
        json.dumps(outcome, allow_nan=False)
        return outcome
    except (TypeError, ValueError) as error:
        return device_says("SUCCEEDED", "RESULT_INVALID", f"The result was not sent: {error}.")


async def main():
    as_principal = {}
    if SEED_FILE:
        public_key = nkeys.from_seed(bytearray(open(SEED_FILE, "rb").read().strip())).public_key.decode()
        as_principal = {"nkeys_seed": SEED_FILE, "inbox_prefix": f"_INBOX_{public_key}"}
    servers = os.environ.get("NATS_URL", "nats://127.0.0.1:4222").split(",")
    bus = Bus(await nats.connect(servers, max_reconnect_attempts=-1, **as_principal))
    loop, outcomes = asyncio.get_running_loop(), {}

    async def take_command(message, redelivered, is_first):
        command = json.loads(message.data)
        command_id, remaining = command["command_id"], instant(command["deadline_at"]) - time.time()
        context = Context(bus, command, redelivered, (message.headers or {}).get("traceparent"))
        if command_id not in outcomes:  # It may come again while it runs, and afterwards: it runs once.
            outcomes[command_id] = asyncio.create_task(outcome_of(context, is_first, remaining))
            loop.call_later(max(0, remaining), outcomes.pop, command_id, None)
        outcome = outcomes[command_id]
        while not outcome.done():
            await asyncio.wait({outcome}, timeout=10)
            await message.in_progress()
        if outcome.result():  # Reported at each delivery: NATS may have lost it.
            await context.report(outcome.result())
        await message.ack()

    async def take_reply(message, *_):
        reply, tenant_id = json.loads(message.data), message.subject.split(".")[1]
        waiting = bus.awaited.get((tenant_id, reply["dedupe_id"]))
        if waiting and not waiting.done():
            waiting.set_result(reply)
        elif instant(reply["expires_at"]) > time.time():
            return await message.nak(delay=1)  # Another process may wait for it.
        await message.ack()

    def stop():
        bus.stopping.set()
        for waiting in bus.awaited.values():
            waiting.done() or waiting.set_result(None)

    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop)
    await asyncio.gather(bus.read("TOP_COMMANDS", take_command), bus.read("TOP_REPLIES", take_reply))
    await bus.connection.flush()
    await bus.connection.close()


def instant(text):
    return datetime.fromisoformat(text).timestamp()


asyncio.run(main())
