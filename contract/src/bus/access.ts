export { API_PREFIX, busAccess, busExports, PLATFORM_ACCOUNT } from './bus-access.js';
export { durables, inboxPrefix } from './durables.js';
export { subjects } from './subjects.js';
