declare module '@20minutes/s3rver' {
  import type { AddressInfo } from 'node:net';

  type Context = { query: Record<string, string | string[]>; throw(status: number): never };

  /** A store on a folder, with the single access key S3RVER and the secret S3RVER. */
  export default class S3rver {
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      directory: string;
      configureBuckets: { name: string; configs: string[] }[];
    });
    middleware: ((context: Context, next: () => Promise<unknown>) => Promise<unknown>)[];
    run(): Promise<AddressInfo>;
    close(): Promise<void>;
  }
}
