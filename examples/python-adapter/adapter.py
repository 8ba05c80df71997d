"""An adapter for Python 3.11 or newer: pip install "nats-py[nkeys]". What your devices do is in devices.py: replace it."""

import asyncio, json, math, os, signal, time, traceback, uuid
from datetime import datetime

import nats, nkeys

from devices import carry_out
from outcomes import beside_another, dated, problem_of, reason, reason_beside, unsigned

TENANT_ID, VENDOR, SEED_FILE = os.environ["TENANT_ID"], os.environ["VENDOR"], os.environ.get("NATS_NKEY_SEED_FILE")
API = "TOP.API" if SEED_FILE else "$JS.API"  # Without a seed: a NATS that has no accounts.
DURABLE = f"{TENANT_ID}+{VENDOR}"
AT_ONCE = 4096  # A command that waits for a silent device costs little.
UNREAD = 60  # What came so long after the last delivery may have run in an adapter of another durable.
CLOCKS_DIFFER = 0.5  # The servers of a cluster have clocks of their own, which differ by less.
STILL_WORKING = 2  # NATS delivers a message again 6 seconds after the last sign of life.
BEAT, LONGEST_GAP = 1, 3  # Then the last sign of life was up to 5 seconds ago.
NO_ANSWER = (TimeoutError, nats.errors.Error)  # What nats-py raises.


class Clock:
    """The time of NATS. The clock of this machine may be wrong: only its monotonic time counts."""

    ahead = latest = asked_at = None
    warned = False

    def learn(self, bus_time, since):
        """The clock of NATS showed this at some moment since then."""
        self.asked_at = time.monotonic()
        self.ahead, self.latest = bus_time - (since + self.asked_at) / 2, bus_time - since
        differs = time.time() - self.now()
        if abs(differs) > 5 and not self.warned:
            self.warned = True
            print(f"The clock of this machine is {abs(differs):.0f} s {'ahead of' if differs > 0 else 'behind'} that of NATS. Deadlines are those of NATS' clock.", flush=True)

    def now(self):
        return time.monotonic() + self.ahead

    def left(self, remaining_ms, stored_at):
        """What was left when the platform published the message, less its age."""
        return remaining_ms / 1_000 - (self.now() - stored_at)


class Pulse:
    """Notices that the process stood still: NATS may have given others what it held. Ask at each start and each outcome."""

    def __init__(self):
        self.count, self.beat_at = 0, time.monotonic()

    def freezes(self):
        gap = time.monotonic() - self.beat_at
        if gap > LONGEST_GAP:  # It may be asked before it beats again.
            self.count, self.beat_at = self.count + 1, time.monotonic()
            print(f"The process stood still for {gap:.0f} s. NATS may have given its commands to another one.", flush=True)
        return self.count

    async def beat(self):
        while True:
            self.freezes()
            self.beat_at = time.monotonic()
            await asyncio.sleep(BEAT)


class Bus:
    """Publishes messages until NATS has acknowledged them, and reads durables through all outages."""

    def __init__(self, connection):
        self.connection, self.stream = connection, connection.jetstream(prefix=API)
        self.stopping, self.awaited, self.clock, self.pulse = asyncio.Event(), {}, Clock(), Pulse()

    async def publish(self, kind, tenant_id, body, message_id, traceparent=None, until=None):
        """Asks for the body at each attempt: what is true can have changed. Gives up when the future `until` is done."""
        subject = f"tenants.{tenant_id}.{kind}.{VENDOR}"
        headers = {"Nats-Msg-Id": message_id} | ({"traceparent": traceparent} if traceparent else {})
        pause = 0
        while not (until and until.done()):
            try:
                data = json.dumps(unsigned(body())).encode()
                acknowledged = await self.stream.publish(subject, data, timeout=2, headers=headers)
                if not acknowledged.duplicate or pause > 0:
                    return
                headers["Nats-Msg-Id"] = str(uuid.uuid4())  # Another message had the id: NATS has dropped this one.
            except NO_ANSWER as error:
                print("Published again:", repr(error), flush=True)
                pause = min(5, pause * 2 or 0.25)
                await asyncio.sleep(pause)

    async def request(self, tenant_id, request):
        if problem := problem_of(request["payload"]):
            raise ValueError(f"payload: {problem}")
        key = tenant_id, request["device_id"], request["dedupe_id"]
        earlier, reply = self.awaited.get(key, (None, None))
        if earlier == request:
            return await asyncio.shield(reply)
        if earlier:
            raise ValueError("the device already waits for a reply to another request with this dedupe_id")
        loop = asyncio.get_running_loop()
        reply = loop.create_future()
        self.awaited[key] = request, reply
        expiry = loop.call_later(request["expires_in_seconds"] + 1, end, reply)
        try:
            await self.publish("device-requests", tenant_id, lambda: request, str(uuid.uuid4()), until=reply)
            await asyncio.wait({reply})
        finally:
            del self.awaited[key]
            expiry.cancel()
            end(reply)
        return reply.result()

    async def read(self, stream, take):
        """Until the process stops. Says when it cannot read."""
        said = None

        async def begin(begun_before):
            nonlocal said
            begun_at = time.monotonic()
            info = await self.info(stream)
            if begun_before:
                await begun_before[0].unsubscribe()
            subscription = await self.stream.pull_subscribe_bind(DURABLE, stream)
            margin = CLOCKS_DIFFER if "cluster" in info else 0
            await asyncio.sleep(margin)  # What is sent once it reads is new.
            # NATS may have forgotten what it delivered before its start, which was before its last delivery.
            last_active = None if begun_before else info["delivered"].get("last_active")
            counts_since = instant(last_active) + margin if last_active else math.inf
            in_use_until = math.inf if begun_before else instant(last_active) + UNREAD if last_active else 0
            server = None if "cluster" in info else self.connection._server_info["server_id"]
            version = self.connection.connected_server_version
            # Before 2.10.14, NATS can forget a delivery to a process that has died, without being started again.
            forgets = (version.major, version.minor, version.patch) < (2, 10, 14)
            certain_since = instant(info["delivered"].get("last_active", info["created"])) if forgets else 0
            print(f"Reads {DURABLE} on {stream}.", flush=True)
            said = None
            return subscription, begun_at + margin, counts_since, instant(info["created"]), server, certain_since, in_use_until

        in_work, begun, reconnects = set(), None, -1
        while not self.stopping.is_set():
            try:
                if not self.connection.is_connected:
                    await asyncio.sleep(0.1)
                    continue
                if reconnects != self.connection.stats["reconnects"]:
                    reconnects, silence = self.connection.stats["reconnects"], 0
                    begun = await begin(begun)
                    subscription, begun_at, counts_since, created_at, server, certain_since, in_use_until = begun
                if len(in_work) >= AT_ONCE:
                    await asyncio.wait(in_work, return_when=asyncio.FIRST_COMPLETED)
                fetched_at, freezes = time.monotonic(), self.pulse.freezes()
                # Before 2.10, the first delivery tells the time: as exactly as this waits.
                timeout = 1 if self.clock.ahead is not None else 0.05
                try:
                    [message] = await subscription.fetch(1, timeout=timeout)
                except TimeoutError:  # There was no message. Nobody says so if the durable is gone.
                    if self.pulse.freezes() != freezes:
                        reconnects = -1  # What is still in the socket is read by nobody.
                    silence += 1
                    if silence % 30 == 0:
                        await self.info(stream)
                    continue
                if reconnects != self.connection.stats["reconnects"]:
                    await message.nak()  # It is delivered again, after NATS was asked what it may have forgotten.
                    continue
                if self.clock.asked_at is None or fetched_at - self.clock.asked_at > 60:
                    await self.info(stream, fetched_at)
                if self.clock.ahead is None:
                    await message.nak(delay=1)  # Nothing starts before it is known how much time is left.
                    continue
                if self.pulse.freezes() != freezes:  # Another process may have it by now. Otherwise it comes again.
                    reconnects = -1
                    continue
                stored_at = message.metadata.timestamp.timestamp()
                headers = message.headers or {}
                is_again = message.metadata.num_delivered > 1 or "Sent-Again" in headers or stored_at <= created_at
                # NATS has not been started since the platform sent it, so it knows all deliveries.
                is_certain = headers.get("Sent-To", "") == server and certain_since < stored_at < in_use_until
                is_new = is_certain or stored_at > begun_at + self.clock.latest + 0.001
                is_first = not is_again and (is_new or stored_at > counts_since)
                task = asyncio.create_task(take(message, stored_at, is_again or not is_new, is_first, freezes))
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

    async def info(self, stream, fetched_at=None):
        asked_at = time.monotonic()
        answer = await self.connection.request(f"{API}.CONSUMER.INFO.{stream}.{DURABLE}", timeout=5)
        info = json.loads(answer.data)
        if "error" in info:
            raise nats.errors.Error(info["error"]["description"])
        if "ts" in info:
            self.clock.learn(instant(info["ts"]), asked_at)
        elif fetched_at and "last_active" in info["delivered"]:  # Before 2.10, NATS tells only when it delivered last.
            self.clock.learn(instant(info["delivered"]["last_active"]), fetched_at)
        return info


class Context:
    """What your devices may need beside the command."""

    def __init__(self, bus, command, redelivered, freezes, traceparent):
        self.bus, self.command, self.traceparent = bus, command, traceparent
        self.was_delivered, self.freezes, self.is_doubtful, self.is_told = redelivered, freezes, False, False
        self.is_given_back = False

    @property
    def redelivered(self):
        """Another run may have begun: ask the device before it acts twice."""
        return self.was_delivered or self.may_run_elsewhere()

    def may_run_elsewhere(self):
        """The process stood still since NATS delivered it. An outcome that was reported does not change."""
        self.is_doubtful = self.is_doubtful or (not self.is_told and self.bus.pulse.freezes() != self.freezes)
        return self.is_doubtful

    async def progress(self, status, step=None, of=None):
        """DELIVERED: the device has the command. IN_PROGRESS: it executes it, at step 3 of 10: tell one a second."""
        steps = {} if step is None else {"progress": {"step": step, "of": of}}
        key = "adapter_status" if status == "DELIVERED" else "device_execution_status"
        await self.report(dated({key: status} | steps))

    @staticmethod
    def device_says(status, code=None, message=None, result=None):
        return {"device_execution_status": status, **reason(code, message), **({} if result is None else {"result": result})}

    @staticmethod
    def adapter_says(status, code, message):
        return {"adapter_status": status, **reason(code, message)}

    async def report(self, update):
        command_id, tenant_id = self.command["command_id"], self.command["tenant_id"]
        status = update.get("device_execution_status") or update["adapter_status"]
        step = update.get("progress", {}).get("step", "")
        is_end = status not in ("DELIVERED", "IN_PROGRESS")

        def body():
            told = beside_another(update) if is_end and self.may_run_elsewhere() else update
            return told | {"command_id": command_id}

        await self.bus.publish("command-updates", tenant_id, body, f"{command_id} {status} {step}", self.traceparent)

    async def request(self, request_type, payload, dedupe_id, expires_in_seconds=300):
        """A request of the device. Returns the reply, or None if nobody replied in time."""
        request = {"device_id": self.command["device_id"], "request_type": request_type, "payload": payload}
        request |= {"dedupe_id": dedupe_id, "expires_in_seconds": expires_in_seconds}
        return await self.bus.request(self.command["tenant_id"], request)


async def outcome_of(context, is_first, deadline_at):
    # Other devices may have kept the event loop since the command came.
    if context.may_run_elsewhere():
        context.is_given_back = True
        return None
    remaining = deadline_at - time.monotonic()
    if remaining <= 0:  # Not started, unless an earlier process has.
        message = "The command reached the adapter after its deadline."
        return dated(Context.adapter_says("UNREACHABLE", "NOT_STARTED", message)) if is_first else None
    try:
        async with asyncio.timeout(remaining) as deadline:
            outcome = await carry_out(context.command, context)
        if not outcome.keys() & {"device_execution_status", "adapter_status"}:
            raise ValueError(f"no outcome: {outcome}")
    except Exception as error:  # The device may have executed the command. The tenant does not see the error.
        if deadline.expired():
            return dated(Context.device_says("TIMED_OUT", "DEADLINE_EXCEEDED", "The adapter gave up at the deadline."))
        traceback.print_exception(error)
        return dated(Context.device_says("TIMED_OUT", "ADAPTER_ERROR", "The device may have executed the command."))
    outcome = dict(outcome)
    if outcome.get("result") is None:
        outcome.pop("result", None)
    elif problem := problem_of(outcome["result"]):  # The outcome stays true without its result.
        outcome = outcome | reason_beside(outcome, "RESULT_INVALID", f"The result was not sent: {problem}.")
        del outcome["result"]
    return dated(outcome)


async def main():
    as_principal = {}
    if SEED_FILE:
        public_key = nkeys.from_seed(bytearray(open(SEED_FILE, "rb").read().strip())).public_key.decode()
        as_principal = {"nkeys_seed": SEED_FILE, "inbox_prefix": f"_INBOX_{public_key}"}
    servers = os.environ.get("NATS_URL", "nats://127.0.0.1:4222").split(",")
    bus = Bus(await nats.connect(servers, max_reconnect_attempts=-1, **as_principal))
    loop, runs, beating = asyncio.get_running_loop(), {}, asyncio.create_task(bus.pulse.beat())

    async def take_command(message, stored_at, redelivered, is_first, freezes):
        try:
            command = json.loads(message.data)
            command_id = command["command_id"]
            remaining = bus.clock.left(command["remaining_ms"], stored_at)
        except (ValueError, KeyError, TypeError):  # Somebody else published it. It would come again and again.
            print(f"A message on {message.subject} is no command.", flush=True)
            return await message.term()
        context = Context(bus, command, redelivered, freezes, (message.headers or {}).get("traceparent"))
        # It may come again while it runs, and afterwards: it runs once.
        if command_id not in runs or runs[command_id][0].is_given_back:
            deadline_at = time.monotonic() + remaining
            runs[command_id] = context, asyncio.create_task(outcome_of(context, is_first, deadline_at))
            loop.call_later(max(0, remaining), runs.pop, command_id, None)
        run, outcome = runs[command_id]
        while not outcome.done():
            await asyncio.wait({outcome}, timeout=STILL_WORKING)
            if not context.may_run_elsewhere():
                await message.in_progress()
        if run.is_given_back:  # It comes again.
            return
        if outcome.result():  # Reported at each delivery: NATS may have lost it.
            await run.report(outcome.result())
            run.is_told = True
        await message.ack()

    async def take_reply(message, stored_at, *_):
        reply, tenant_id = json.loads(message.data), message.subject.split(".")[1]
        _, waiting = bus.awaited.get((tenant_id, reply["device_id"], reply["dedupe_id"]), (None, None))
        if waiting and not waiting.done():
            waiting.set_result(reply)
        elif bus.clock.left(reply["remaining_ms"], stored_at) > 0:
            return await message.nak(delay=1)  # Another process may wait for it.
        await message.ack()

    def stop():
        bus.stopping.set()
        for _, waiting in bus.awaited.values():
            end(waiting)

    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop)
    await asyncio.gather(bus.read("TOP_COMMANDS", take_command), bus.read("TOP_REPLIES", take_reply))
    beating.cancel()
    await bus.connection.flush()
    await bus.connection.close()


def end(waiting):
    waiting.done() or waiting.set_result(None)


def instant(text):
    return datetime.fromisoformat(text).timestamp()


if __name__ == "__main__":
    asyncio.run(main())
