export { durables, inboxPrefix } from './durables.js';
export { type BusPermissions, busPermissions } from './permissions.js';
export { subjects } from './subjects.js';
