import {
  type CommandHandler,
  OutcomeUnknown,
  Rejected,
  Unreachable,
  Unsupported,
} from '@tenant-open-platform/sdk/adapter';

/** With these the device has got nothing. After any other error it may have. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);
const codeOf = (error: unknown) => ((error as Error).cause as { code?: string } | undefined)?.code ?? '';

/** Carries out commands of devices whose HTTP answer is the outcome. `addressOf` says whose device it is, and where. */
export const carryOutAtOnce =
  (addressOf: (tenantId: string, deviceId: string) => string | undefined): CommandHandler =>
  async ({ tenant_id, device_id, command_type, payload }, { signal, redelivered, progress }) => {
    const address = addressOf(tenant_id, device_id);
    if (!address) throw new Rejected('UNKNOWN_DEVICE', 'The tenant has no device of this id.');
    // Leave this out if a second call of the device changes nothing.
    if (redelivered) throw new OutcomeUnknown('SENT_TWICE', 'The device may have executed the command already.');
    const body = JSON.stringify(payload);
    const response = await fetch(`${address}/${command_type}`, { method: 'POST', body, signal }).catch((error) => {
      throw NOT_CONNECTED.has(codeOf(error)) ? new Unreachable() : error;
    });
    const { status } = response;
    if (status === 404) throw new Unsupported();
    if (status >= 500) throw new OutcomeUnknown('DEVICE_ERROR', `The device answered with status ${status}.`);
    void progress('DELIVERED');
    if (status >= 300) throw new Rejected('REFUSED', `The device refused with status ${status}.`);
    return resultOf(await response.text());
  };

/** The status says that the device has done it. What is not JSON goes to the kit, which leaves it out and says so. */
function resultOf(text: string) {
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
