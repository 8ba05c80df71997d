import { parkedMessages } from '../../platform/bus/parked-messages.table.js';
import { deleteHandler } from '../../platform/operation/resource-handlers.js';
import { presentParkedMessage } from './present-parked-message.js';

export const deleteParkedMessage = deleteHandler(parkedMessages, presentParkedMessage, 'parked_message_id');
