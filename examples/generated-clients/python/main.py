"""Sends a command with a generated client and reads it back."""

import os
import uuid

from signed_urllib3 import SigningPool
from tenant_open_platform import ApiClient, CommandCreate, CommandsApi, Configuration

client = ApiClient(Configuration(host=os.environ["TOP_BASE_URL"]))
client.rest_client.pool_manager = SigningPool(os.environ["TOP_CLIENT_ID"], os.environ["TOP_SECRET"])
commands = CommandsApi(client)

reboot = CommandCreate(
    vendor="vendor_a", device_id="ok-1", command_type="reboot", payload={}, idempotency_key=str(uuid.uuid4())
)
accepted = commands.commands_create(reboot)
command = commands.commands_get(accepted.command_id, wait_seconds=10)
print(command.command_id, command.status)
