declare module '@20minutes/s3rver' {
  /** A store on a folder, with the single access key S3RVER and the secret S3RVER. */
  export default class S3rver {
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      directory: string;
      configureBuckets: { name: string }[];
    });
    run(): Promise<{ port: number }>;
    close(): Promise<void>;
  }
}
