import { randomUUID } from 'node:crypto';

export const unique = (prefix: string) => `${prefix}-${randomUUID()}`;
