import type { DeviceRequest, DeviceRequestReply } from '@tenant-open-platform/sdk';

const NEWEST_FIRMWARE = '2.4.1';

/**
 * Here stands what the tenant knows of its devices. The same request always gets the same answer: where it is given
 * twice, by this program after a restart or by two at once, the second is then no other reply and is not refused.
 */
export function answerTo({ request_type, payload }: DeviceRequest): DeviceRequestReply {
  switch (request_type) {
    case 'firmware_check':
      return {
        outcome: 'SUCCESS',
        payload: { version: NEWEST_FIRMWARE, update: payload.version !== NEWEST_FIRMWARE },
      };
    default:
      return { outcome: 'ERROR', error: { code: 'UNKNOWN_REQUEST', message: `Nobody here answers ${request_type}.` } };
  }
}
