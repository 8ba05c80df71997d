import { UsageError } from '../../errors.js';
import { integer } from '../../flags.js';

export const allowedOperationsFlag = (when: string) =>
  ['--allowed-operations <operations>', `UPLOAD, DOWNLOAD or UPLOAD,DOWNLOAD${when}`] as const;

export const keyPrefixFlag = ['--key-prefix <prefix>', 'what every key begins with, such as firmware/'] as const;

export const allowedContentTypesFlag = [
  '--allowed-content-types <types>',
  'what may be uploaded, with commas between, such as image/*,application/pdf; or any',
] as const;

export const maxObjectBytesFlag = [
  '--max-object-bytes <bytes>',
  'the largest upload: at most 5368709120',
  integer,
] as const;

export const maxExpiresInSecondsFlag = [
  '--max-expires-in-seconds <seconds>',
  'the longest life of a presigned URL: 1 to 604800',
  integer,
] as const;

/** `any` is null on the wire. */
export function contentTypes(flag: string | undefined): string[] | null | undefined {
  return flag === 'any' ? null : flag?.split(',');
}

/** Not a parser of Commander, which what is typed at a prompt does not pass. */
export function operations(flag: string): ('UPLOAD' | 'DOWNLOAD')[] {
  return flag.split(',').map((name) => {
    if (name === 'UPLOAD' || name === 'DOWNLOAD') return name;
    throw new UsageError('--allowed-operations must be UPLOAD, DOWNLOAD or UPLOAD,DOWNLOAD');
  });
}
