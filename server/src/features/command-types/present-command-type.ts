import { presenter } from '../../platform/operation/presenter.js';
import { commandTypes } from './command-types.table.js';

export const presentCommandType = presenter(commandTypes);
