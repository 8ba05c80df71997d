export { durables, inboxPrefix } from './durables.js';
export { DEFAULT_EXPIRES_IN_SECONDS, MAX_MESSAGE_BYTES, MAX_OBJECT_BYTES } from './limits.js';
export { CommandMessage, CommandUpdate, DeviceReplyMessage, DeviceRequestMessage } from './messages.js';
export { readSubject, type SubjectKind, subjects } from './subjects.js';
