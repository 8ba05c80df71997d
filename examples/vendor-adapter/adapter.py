"""An adapter of a vendor, for Python 3.11 or newer: pip install "nats-py[nkeys]"."""

import asyncio, json, os, signal, time, traceback
from datetime import datetime, timezone

import nats, nkeys

TENANT_ID, VENDOR, SEED_FILE = os.environ["TENANT_ID"], os.environ["VENDOR"], os.environ["NATS_NKEY_SEED_FILE"]
AT_ONCE = asyncio.Semaphore(4096)  # A command that waits for a silent device costs little.


async def carry_out(command):
    """Replace this with the protocol of the vendor. Returns the outcome."""
    if not command["device_id"].startswith(f"{command['tenant_id']}-"):
        reason = {"code": "UNKNOWN_DEVICE", "message": "The tenant has no device of this id."}
        return {"adapter_status": "REJECTED", "status_reason": reason}
    print(f"{command['device_id']}: {command['command_type']}", flush=True)
    await asyncio.sleep(0.05)
    return {"device_execution_status": "SUCCEEDED", "result": {"uptime_seconds": 0}}


async def run(command, bus):
    try:
        outcome = await carry_out(command)
    except Exception:  # The device may have executed the command. The tenant does not see the error.
        traceback.print_exc()
        reason = {"code": "ADAPTER_ERROR", "message": "The device may have executed the command."}
        outcome = {"device_execution_status": "TIMED_OUT", "status_reason": reason}
    await report(command, outcome, bus)


async def report(command, outcome, bus):
    update = {**outcome, "command_id": command["command_id"], "occurred_at": datetime.now(timezone.utc).isoformat()}
    subject, headers = f"tenants.{command['tenant_id']}.command-updates.{VENDOR}", {"Nats-Msg-Id": command["command_id"]}
    while True:  # An outcome is published until NATS has acknowledged it.
        try:
            return await bus.publish(subject, json.dumps(update).encode(), timeout=2, headers=headers)
        except nats.errors.Error as error:
            print("Published again:", repr(error), flush=True)
            await asyncio.sleep(1)


async def handle(message, runs, bus):
    command = json.loads(message.data)
    remaining = datetime.fromisoformat(command["deadline_at"]).timestamp() - time.time()
    task = runs.get(command["command_id"])  # It may be delivered again while it runs, and afterwards.
    if task is None and remaining > 0:
        task = runs[command["command_id"]] = asyncio.create_task(run(command, bus))
        asyncio.get_running_loop().call_later(remaining, runs.pop, command["command_id"])
    elif task is None and message.metadata.num_delivered == 1:  # Otherwise an earlier run may have begun.
        reason = {"code": "NOT_STARTED", "message": "The command reached the adapter after its deadline."}
        task = asyncio.create_task(report(command, {"adapter_status": "UNREACHABLE", "status_reason": reason}, bus))
    while task and not task.done():
        await asyncio.wait({task}, timeout=10)
        await message.in_progress()
    await message.ack()
    AT_ONCE.release()


async def main():
    inbox = "_INBOX_" + nkeys.from_seed(bytearray(open(SEED_FILE, "rb").read().strip())).public_key.decode()
    servers = os.environ.get("NATS_URL", "nats://127.0.0.1:4222").split(",")
    connection = await nats.connect(servers, nkeys_seed=SEED_FILE, inbox_prefix=inbox, max_reconnect_attempts=-1)
    bus = connection.jetstream(prefix="TOP.API")
    commands = await bus.pull_subscribe_bind(f"{TENANT_ID}+{VENDOR}", "TOP_COMMANDS")
    runs, in_work, stopping = {}, set(), asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stopping.set)
    print(f"Serving {VENDOR} for {TENANT_ID}.", flush=True)
    while not stopping.is_set():
        await AT_ONCE.acquire()
        try:
            [message] = await commands.fetch(1, timeout=1)
            in_work.add(task := asyncio.create_task(handle(message, runs, bus)))
            task.add_done_callback(in_work.discard)
        except nats.errors.Error as error:
            AT_ONCE.release()
            if not isinstance(error, nats.errors.TimeoutError):  # A time-out: there was no command.
                print("Cannot read commands:", repr(error), flush=True)
                await asyncio.sleep(1)
    await asyncio.gather(*in_work)
    await connection.flush()
    await connection.close()


asyncio.run(main())
