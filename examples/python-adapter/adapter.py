"""An adapter for Python 3.11 or newer: pip install "nats-py[nkeys]". What your devices do is in devices.py."""

import asyncio, json, os, signal, time, traceback, uuid
from datetime import datetime, timezone

import nats, nkeys

from devices import adapter_says, carry_out, device_says, reason

TENANT_ID, VENDOR, SEED_FILE = os.environ["TENANT_ID"], os.environ["VENDOR"], os.environ.get("NATS_NKEY_SEED_FILE")
API = "TOP.API" if SEED_FILE else "$JS.API"  # Without a seed: a NATS that has no accounts.
DURABLE = f"{TENANT_ID}+{VENDOR}"
AT_ONCE = 4096  # A command that waits for a silent device costs little.
CLOCKS_DIFFER = 0.5  # Two clocks of a set-up differ by less.
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
            self.awaited.pop(key, None)

    async def read(self, stream, take):
        """Until the process stops. Says when it cannot read."""
        said = None

        async def begin(begun_before):
            nonlocal said
            info = await self.info(stream)
            if begun_before:
                await begun_before[0].unsubscribe()
            subscription = await self.stream.pull_subscribe_bind(DURABLE, stream)
            margin = 0 if "ts" in info and "cluster" not in info else CLOCKS_DIFFER
            begun_at = (instant(info["ts"]) if "ts" in info else time.time()) + margin
            await asyncio.sleep(margin)  # What is sent once it reads is new.
            # NATS may have forgotten what it had delivered if it was restarted: no delivery since tells that.
            forgotten_until = begun_at if begun_before or "last_active" not in info["delivered"] else 0
            print(f"Reads {DURABLE} on {stream}.", flush=True)
            said = None
            return subscription, begun_at, max(forgotten_until, instant(info["created"]))

        in_work, begun, reconnects = set(), None, -1
        while not self.stopping.is_set():
            try:
                if not self.connection.is_connected:
                    await asyncio.sleep(0.1)
                    continue
                if reconnects != self.connection.stats["reconnects"]:
                    reconnects, silence = self.connection.stats["reconnects"], 0
                    subscription, begun_at, counted_since = begun = await begin(begun)
                if len(in_work) >= AT_ONCE:
                    await asyncio.wait(in_work, return_when=asyncio.FIRST_COMPLETED)
                try:
                    [message] = await subscription.fetch(1, timeout=1)
                except TimeoutError:  # There was no message. Nobody says so if the durable is gone.
                    silence += 1
                    if silence % 30 == 0:
                        await self.info(stream)
                    continue
                if reconnects != self.connection.stats["reconnects"]:
                    await message.nak()  # It is delivered again, after NATS was asked what it may have forgotten.
                    continue
                stored_at = message.metadata.timestamp.timestamp()
                is_again = message.metadata.num_delivered > 1 or "Sent-Again" in (message.headers or {})
                is_first = not is_again and stored_at > counted_since
                task = asyncio.create_task(take(message, is_again or stored_at <= begun_at, is_first))
                in_work.add(task)
                task.add_done_callback(in_work.discard)
            except NO_ANSWER as error:
                reconnects = -1
                if said != repr(error):
                    said = repr(error)
                    hint = "It comes with the first request." if stream == "TOP_REPLIES" else "Is a principal registered?"
                    print(f"Cannot read {DURABLE} on {stream}: {said}. {hint}", flush=True)
                await asyncio.sleep(1)
        await asyncio.gather(*in_work, return_exceptions=True)

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

    async def progress(self, status, step=None, of=None):
        """DELIVERED: the device has the command. IN_PROGRESS: it executes it, at step 3 of 10: tell one a second."""
        steps = {} if step is None else {"progress": {"step": step, "of": of}}
        key = "adapter_status" if status == "DELIVERED" else "device_execution_status"
        await self.report(dated({key: status} | steps))

    async def report(self, update):
        command_id, tenant_id = self.command["command_id"], self.command["tenant_id"]
        status = update.get("device_execution_status") or update["adapter_status"]
        step = update.get("progress", {}).get("step", "")
        body, message_id = update | {"command_id": command_id}, f"{command_id} {status} {step}"
        await self.bus.publish("command-updates", tenant_id, body, message_id, self.traceparent)

    async def request(self, request_type, payload, dedupe_id, expires_in_seconds=300):
        """A request of the device. Returns the reply, or None if nobody replied in time."""
        request = {"device_id": self.command["device_id"], "request_type": request_type, "payload": payload}
        request |= {"dedupe_id": dedupe_id, "expires_in_seconds": expires_in_seconds}
        return await self.bus.request(self.command["tenant_id"], request)


async def outcome_of(context, is_first, remaining):
    if remaining <= 0:  # Not started, unless an earlier process has.
        message = "The command reached the adapter after its deadline."
        return dated(adapter_says("UNREACHABLE", "NOT_STARTED", message)) if is_first else None
    try:
        async with asyncio.timeout(remaining) as deadline:
            outcome = await carry_out(context.command, context)
        if not outcome.keys() & {"device_execution_status", "adapter_status"}:
            raise ValueError(f"no outcome: {outcome}")
    except Exception as error:  # The device may have executed the command. The tenant does not see the error.
        if deadline.expired():
            return dated(device_says("TIMED_OUT", "DEADLINE_EXCEEDED", "The adapter gave up at the deadline."))
        traceback.print_exception(error)
        return dated(device_says("TIMED_OUT", "ADAPTER_ERROR", "The device may have executed the command."))
    if problem := problem_of(outcome.pop("result", None), outcome):  # The outcome stays true without its result.
        outcome |= reason("RESULT_INVALID", f"The result was not sent: {problem}.")
    return dated(outcome)


def problem_of(result, outcome):
    """Puts a result that the platform takes back into the outcome. Says what is wrong with another."""
    if result is None:
        return None
    try:
        if len(json.dumps(result, allow_nan=False).encode()) > 32_768:
            return "larger than 32 KiB"
    except (TypeError, ValueError) as error:
        return str(error)
    outcome["result"] = result


def dated(update):
    return update | {"occurred_at": datetime.now(timezone.utc).isoformat()}


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
