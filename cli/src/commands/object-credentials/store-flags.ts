import { Option } from '@commander-js/extra-typings';

export const accessKeyFileFlag = (when: string) =>
  [
    '--secret-access-key-file <path|->',
    `a file of the secret half, or - for stdin; asked for on a terminal (${when})`,
  ] as const;

export const sessionTokenFileFlag = [
  '--session-token-file <path|->',
  'of temporary access keys: a file of their token, or - for stdin',
] as const;

export const providerFlag = ['--provider <label>', 'a label for people, such as minio, or none'] as const;

export const forcePathStyleFlag = (otherwise: string) =>
  new Option('--force-path-style <boolean>', `true: host/bucket/key; ${otherwise}: bucket.host/key`).choices([
    'true',
    'false',
  ]);

type Flags = { provider?: string | undefined; forcePathStyle?: 'true' | 'false' | undefined };

/** As they are on the wire. */
export const addressing = ({ provider, forcePathStyle }: Flags) => ({
  provider: provider === 'none' ? null : provider,
  force_path_style: forcePathStyle === undefined ? undefined : forcePathStyle === 'true',
});
