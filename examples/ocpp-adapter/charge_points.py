"""Many charge points: charge_points.py URL FILE. The file says who dials in, as JSON: [{"identity", "password", "version"}]."""

import asyncio, base64, json, pathlib, sys

import websockets
from ocpp import v16, v201
from ocpp.routing import on

URL, FILE = sys.argv[1:3]
DIALLING = asyncio.Semaphore(20)


def say(*words):
    print(*words, flush=True)


def simulated(base, call_result):
    class Simulated(base):
        def accept(self, answer, *words):
            say("call", self.id, *words)
            return answer("Accepted")

        @on("Reset")
        async def on_reset(self, type, **_):
            if self.is_silent:
                say("call", self.id, "Reset", type)
                await asyncio.sleep(3600)
            return self.accept(call_result.Reset, "Reset", type)

        @on("ChangeAvailability")
        async def on_availability(self, **_):
            return self.accept(call_result.ChangeAvailability, "ChangeAvailability")

        @on("UnlockConnector")
        async def on_unlock(self, **where):
            say("call", self.id, "UnlockConnector", where)
            return call_result.UnlockConnector("Unlocked")

        # Of OCPP 2.0.1.
        @on("RequestStartTransaction")
        async def on_start(self, id_token, evse_id=None, **_):
            return self.accept(call_result.RequestStartTransaction, "RequestStartTransaction", id_token, evse_id)

        @on("RequestStopTransaction")
        async def on_stop(self, transaction_id):
            return self.accept(call_result.RequestStopTransaction, "RequestStopTransaction", transaction_id)

    return Simulated


VERSIONS = {
    "ocpp1.6": (simulated(v16.ChargePoint, v16.call_result), v16.call),
    "ocpp2.0.1": (simulated(v201.ChargePoint, v201.call_result), v201.call),
}


async def dial(identity, password, version, is_silent=False):
    login = base64.b64encode(f"{identity}:{password}".encode()).decode()
    ChargePoint, call = VERSIONS[version]
    async with DIALLING:
        socket = await websockets.connect(
            f"{URL}/{identity}",
            subprotocols=[version],
            additional_headers={"Authorization": f"Basic {login}"},
        )
    async with socket:
        point = ChargePoint(identity, socket)
        point.is_silent = is_silent
        reading = asyncio.create_task(point.start())
        await point.call(call.Heartbeat())
        say("online", identity, socket.subprotocol)
        try:
            await reading
        except websockets.ConnectionClosed:
            say("disconnected", identity)


async def main():
    await asyncio.gather(*[dial(**point) for point in json.loads(pathlib.Path(FILE).read_text())])


asyncio.run(main())
