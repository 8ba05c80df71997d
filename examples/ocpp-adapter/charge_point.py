"""A charge point: charge_point.py URL IDENTITY PASSWORD. Answers calls as the file behaviour.txt beside it says."""

import asyncio, base64, pathlib, sys

import websockets
from ocpp.routing import on
from ocpp.v16 import ChargePoint, call, call_result

URL, IDENTITY, PASSWORD, BEHAVIOUR = sys.argv[1:5]


def say(*words):
    print(*words, flush=True)


class Simulated(ChargePoint):
    async def answer(self, name, result, rejected):
        behaviour = pathlib.Path(BEHAVIOUR).read_text().strip()
        say("call", name)
        if behaviour == "slow":
            await asyncio.sleep(3)
        if behaviour == "silent":
            await asyncio.sleep(3600)
        if behaviour == "disconnecting":
            await self._connection.close()
        return rejected if behaviour == "rejecting" else result

    @on("Reset")
    async def on_reset(self, type):
        return await self.answer(f"Reset {type}", call_result.Reset("Accepted"), call_result.Reset("Rejected"))

    @on("UnlockConnector")
    async def on_unlock(self, connector_id):
        unlocked = call_result.UnlockConnector
        return await self.answer(f"UnlockConnector {connector_id}", unlocked("Unlocked"), unlocked("UnlockFailed"))

    @on("ChangeAvailability")
    async def on_availability(self, connector_id, type):
        changed = call_result.ChangeAvailability
        return await self.answer(f"ChangeAvailability {type}", changed("Accepted"), changed("Rejected"))

    @on("RemoteStartTransaction")
    async def on_start(self, id_tag, connector_id=1, **_):
        started = call_result.RemoteStartTransaction
        result = await self.answer(f"RemoteStartTransaction {id_tag}", started("Accepted"), started("Rejected"))
        if result.status == "Accepted":
            asyncio.get_running_loop().call_later(0.1, lambda: asyncio.ensure_future(self.charge(connector_id, id_tag)))
        return result

    async def charge(self, connector_id, id_tag):
        now = "2026-01-31T09:30:00Z"
        answer = await self.call(call.StartTransaction(connector_id, id_tag, meter_start=0, timestamp=now))
        say("charging", answer.transaction_id, answer.id_tag_info["status"])


async def main():
    login = base64.b64encode(f"{IDENTITY}:{PASSWORD}".encode()).decode()
    while True:
        try:
            async with websockets.connect(
                f"{URL}/{IDENTITY}",
                subprotocols=["ocpp1.6"],
                additional_headers={"Authorization": f"Basic {login}"},
            ) as socket:
                point = Simulated(IDENTITY, socket)
                reading = asyncio.create_task(point.start())
                boot = await point.call(call.BootNotification("Model 7", "Acme"))
                say("boot", boot.status)
                authorized = await point.call(call.Authorize("tag-1"))
                say("authorize", authorized.id_tag_info["status"])
                await reading
        except (OSError, websockets.WebSocketException) as error:
            say("disconnected", repr(error))
        await asyncio.sleep(0.5)


asyncio.run(main())
