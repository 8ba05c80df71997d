import { presenter } from '../../platform/operation/presenter.js';
import { vendors } from './vendors.table.js';

export const presentVendor = presenter(vendors);
