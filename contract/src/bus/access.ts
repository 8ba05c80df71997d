export { durables, inboxPrefix } from './durables.js';
export { DEFAULT_EXPIRES_IN_SECONDS, MAX_OBJECT_BYTES, MAX_STEPS } from './limits.js';
export { connectionOptions, HISTORY, headerOf, MESSAGE_TOO_LARGE, SENT_AGAIN, SENT_TO, tlsOptions } from './nats.js';
export { API_PREFIX, type BusVendor, busAccess, busExports, PLATFORM_ACCOUNT } from './permissions.js';
export { subjects } from './subjects.js';
