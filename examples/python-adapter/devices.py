"""Your devices. Replace this with the protocol of the vendor."""

import asyncio


async def carry_out(command, context):
    """Carries out a command once. Returns its outcome: a command update without its id."""
    if not command["device_id"].startswith(f"{command['tenant_id']}-"):  # Only the vendor knows whose device it is.
        return context.adapter_says("REJECTED", "UNKNOWN_DEVICE", "The tenant has no device of this id.")
    if context.redelivered:  # An earlier process may have begun it, and this device cannot be asked.
        return context.device_says("TIMED_OUT", "SENT_TWICE", "The device may have executed the command already.")
    print(f"{command['device_id']}: {command['command_type']}", flush=True)
    await context.progress("IN_PROGRESS")
    await asyncio.sleep(0.05)
    if command["command_type"] == "reboot":
        return context.device_says("SUCCEEDED", result={"uptime_seconds": 0})
    if command["command_type"] == "update_firmware":  # The device asks which firmware it should have.
        await context.progress("IN_PROGRESS", step=1, of=2)
        reply = await context.request("firmware_check", {"version": "2.4.0"}, command["command_id"])
        return context.device_says("SUCCEEDED", result={"firmware": reply and reply["payload"]})
    return context.adapter_says("UNSUPPORTED", "UNSUPPORTED", "The device does not know the command type.")
