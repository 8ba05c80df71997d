import type { DeviceRequest, DeviceRequestReply } from '@tenant-open-platform/sdk';

const NEWEST_FIRMWARE = '2.4.1';

/**
 * Replace this with the tenant's knowledge of its devices. The same request must always get the same answer: if it is
 * given twice, by this program after a restart or by two programs at once, the second one then counts as a repeat and
 * is not refused.
 */
export function answerTo({ request_type, payload }: DeviceRequest): DeviceRequestReply {
  switch (request_type) {
    case 'firmware_check':
      return {
        outcome: 'SUCCESS',
        payload: { version: NEWEST_FIRMWARE, update: payload.version !== NEWEST_FIRMWARE },
      };
    default:
      return {
        outcome: 'ERROR',
        error: { code: 'UNKNOWN_REQUEST', message: `This program does not answer ${request_type}.` },
      };
  }
}
