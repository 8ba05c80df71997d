import type { DeviceRequestMessage } from '@tenant-open-platform/contract/bus';
import type { Handled, MessageSource } from '../../../platform/bus/take-message.js';
import type { DeviceRequest, Reception } from './receive-device-requests.js';

const MAX_PAYLOAD_BYTES = 32_768;

const refusals: Partial<Record<Reception, string>> = {
  UNKNOWN_TENANT: 'The tenant of the subject does not exist or is disabled.',
  UNKNOWN_VENDOR: 'The vendor of the subject is not in the catalog, or the tenant may not use it.',
};

export const takeDeviceRequest =
  (receive: (incoming: DeviceRequest) => Promise<Reception>) =>
  async (message: DeviceRequestMessage, sender: MessageSource): Promise<Handled> => {
    if (Buffer.byteLength(JSON.stringify(message.payload)) > MAX_PAYLOAD_BYTES) {
      return `The payload is larger than ${MAX_PAYLOAD_BYTES} bytes.`;
    }
    return refusals[await receive({ ...sender, message })] ?? 'DONE';
  };
