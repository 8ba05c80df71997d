import { randomInt } from 'node:crypto';
import {
  type CommandContext,
  type CommandOf,
  type DeviceConnections,
  Failed,
  OutcomeUnknown,
  Rejected,
  Unsupported,
} from '@tenant-open-platform/sdk/adapter';
import type { ChargePoint, ChargePoints, Version } from './central-system.js';

type Commands = {
  reboot: { hard?: boolean };
  unlock_connector: { connector_id: number };
  set_availability: { connector_id: number; available: boolean };
  start_charging: { id_tag: string; connector_id?: number };
  /** A number in OCPP 1.6, a string in 2.0.1. */
  stop_charging: { transaction_id: number | string };
};

/** So long a charge point may take to answer. */
const ANSWER_MS = 10_000;
/** A charge point may get these twice. A second unlock, reboot or start would do harm. */
const MAY_COME_TWICE = new Set<string>(['set_availability', 'stop_charging']);

/** The adapter must have `onePerDevice`: a charge point answers one call at a time. */
export const commandsFor = (chargePoints: ChargePoints, online: DeviceConnections<ChargePoint>) =>
  async function carryOut(command: CommandOf<Commands>, context: CommandContext) {
    const { tenant_id, device_id, command_type } = command;
    if (!Object.hasOwn(chargePoints, device_id) || chargePoints[device_id]?.tenant_id !== tenant_id) {
      throw new Rejected('UNKNOWN_DEVICE', 'The tenant has no charge point of this identity.');
    }
    const calls = callsOf(command);
    if (context.redelivered && !MAY_COME_TWICE.has(command_type)) {
      throw new OutcomeUnknown('SENT_TWICE', 'The charge point may have executed the command already.');
    }
    const chargePoint = await online.waitFor(device_id, context, { answerMs: ANSWER_MS });
    const [method, params] = calls[chargePoint.protocol];
    const { status } = await call(chargePoint, method, params, context);
    const isDone = ['Accepted', 'Scheduled', 'Unlocked'].includes(String(status));
    // It may refuse what it has done already, such as the end of a transaction.
    if (context.redelivered && !isDone) throw sentTwice(status);
    switch (status) {
      case 'Accepted':
      case 'Scheduled':
      case 'Unlocked':
        return { status };
      case 'NotSupported':
        throw new Unsupported();
      case 'UnlockFailed':
        throw new Failed('UNLOCK_FAILED', 'The charge point could not unlock the connector.');
      default:
        void context.progress('DELIVERED');
        throw new Rejected('REJECTED', 'The charge point rejected the command.');
    }
  };

type Call = [method: string, params: object];

/** Both, because only the charge point says which version it speaks. */
function callsOf(command: CommandOf<Commands>): Record<Version, Call> {
  switch (command.command_type) {
    case 'reboot': {
      const { hard } = command.payload;
      return {
        'ocpp1.6': ['Reset', { type: hard ? 'Hard' : 'Soft' }],
        'ocpp2.0.1': ['Reset', { type: hard ? 'Immediate' : 'OnIdle' }],
      };
    }
    case 'unlock_connector': {
      const { connector_id: id } = command.payload;
      return {
        'ocpp1.6': ['UnlockConnector', { connectorId: id }],
        'ocpp2.0.1': ['UnlockConnector', { evseId: id, connectorId: 1 }],
      };
    }
    case 'set_availability': {
      const { connector_id: id, available } = command.payload;
      const status = available ? 'Operative' : 'Inoperative';
      return {
        'ocpp1.6': ['ChangeAvailability', { connectorId: id, type: status }],
        // 0 is the whole charge point.
        'ocpp2.0.1': ['ChangeAvailability', { operationalStatus: status, ...(id > 0 && { evse: { id } }) }],
      };
    }
    case 'start_charging': {
      const { id_tag: tag, connector_id: id } = command.payload;
      const idToken = { idToken: tag, type: 'Central' };
      const remoteStartId = randomInt(2 ** 31);
      const known = id !== undefined;
      return {
        'ocpp1.6': ['RemoteStartTransaction', { idTag: tag, ...(known && { connectorId: id }) }],
        'ocpp2.0.1': ['RequestStartTransaction', { idToken, remoteStartId, ...(known && { evseId: id }) }],
      };
    }
    case 'stop_charging': {
      const { transaction_id: transactionId } = command.payload;
      return {
        'ocpp1.6': ['RemoteStopTransaction', { transactionId }],
        'ocpp2.0.1': ['RequestStopTransaction', { transactionId: String(transactionId) }],
      };
    }
    default:
      throw new Unsupported();
  }
}

const sentTwice = (answer: unknown) =>
  new OutcomeUnknown('SENT_TWICE', `The charge point answered ${answer} to a command that it may have executed.`);

/** The errors with which a charge point says that it has not done it, and those that OCPP does not know. */
const REFUSALS = new Set(['GenericError', 'InternalError', 'SecurityError']);

async function call(chargePoint: ChargePoint, method: string, params: object, context: CommandContext) {
  try {
    return await chargePoint.call(method, params, { signal: context.signal, callTimeoutMs: Number.POSITIVE_INFINITY });
  } catch (cause) {
    const { rpcErrorCode: code = '' } = cause as { rpcErrorCode?: string };
    if (code === 'NotImplemented' || code === 'NotSupported') throw new Unsupported(code, 'It does not know the call.');
    if (REFUSALS.has(code) && context.redelivered) throw sentTwice(code);
    if (REFUSALS.has(code)) throw new Failed(code, 'The charge point answered with an error.', { cause });
    // No answer, a broken connection, or an answer that the schemas of OCPP do not allow.
    throw new OutcomeUnknown(code || 'NO_ANSWER', 'The charge point may have executed the command.', { cause });
  }
}
