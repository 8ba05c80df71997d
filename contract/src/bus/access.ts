export { API_PREFIX, type BusVendor, busAccess, busExports, PLATFORM_ACCOUNT } from './bus-access.js';
export { durables, inboxPrefix } from './durables.js';
export { subjects } from './subjects.js';
