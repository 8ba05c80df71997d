import type { Operation } from '@tenant-open-platform/contract';

/** Whether it leaves an entry in the audit log. */
export const isAudited = ({ route }: Operation) =>
  route.method !== 'GET' && /^(platform|open:object-config|open:callback):/.test(route.metadata.scope ?? '');
