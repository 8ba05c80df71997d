import { listHandler } from '../../platform/operation/resource-handlers.js';
import { presentVendor } from './present-vendor.js';
import { vendors } from './vendors.table.js';

export const listVendors = listHandler({
  table: vendors,
  order: ['createdAt', 'vendor'],
  ofPlatform: true,
  present: presentVendor,
});
