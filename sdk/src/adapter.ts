export type {
  AdapterCounters,
  CommandContext,
  CommandHandler,
  CommandOf,
  Payloads,
} from './adapter/command-handler.js';
export type { AdapterTls } from './adapter/connect.js';
export { type ConnectOptions, DeviceConnections, type WaitContext } from './adapter/device-connections.js';
export type { DeviceRequest } from './adapter/device-requests.js';
export {
  AdapterError,
  Failed,
  type FailedStatus,
  OutcomeUnknown,
  Rejected,
  Unreachable,
  Unsupported,
} from './adapter/errors.js';
export type { AdapterEvent, AdapterLog } from './adapter/events.js';
export { type CallLimit, limitCalls } from './adapter/limit-calls.js';
export type * from './adapter/messages.gen.js';
export type { ReplyContext, ReplyHandler } from './adapter/reply-runner.js';
export { type Adapter, serveVendor, type VendorOptions } from './adapter/serve-vendor.js';
export {
  type TestCommand,
  type TestOutcome,
  type TestVendor,
  type TestVendorOptions,
  testVendor,
} from './adapter/test-vendor.js';
