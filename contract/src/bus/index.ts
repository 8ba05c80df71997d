export { durables, inboxPrefix } from './durables.js';
export {
  CommandMessage,
  CommandUpdate,
  DeviceReplyMessage,
  DeviceRequestMessage,
  MAX_MESSAGE_BYTES,
} from './messages.js';
export { readSubject, type SubjectKind, subjects } from './subjects.js';
