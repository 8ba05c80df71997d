import { fsyncSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

type Module = { FS: { filesystems: { NODEFS: { stream_ops: { fsync?: (stream: { nfd: number }) => number } } } } };

/** PGlite's own file system does nothing when Postgres asks it to wait for the disk. */
class DurableFiles extends NodeFS {
  override async init(...given: Parameters<NodeFS['init']>) {
    const { emscriptenOpts } = await super.init(...given);
    const preRun = emscriptenOpts.preRun as unknown as ((module: Module) => void)[];
    preRun.push(({ FS }) => {
      FS.filesystems.NODEFS.stream_ops.fsync = ({ nfd }) => {
        fsyncSync(nfd);
        return 0;
      };
    });
    return { emscriptenOpts };
  }
}

/** PGlite's -F switches fsync off, and it ignores fdatasync. Its 128 MB of shared buffers assume a machine of its own. */
const startParams = [
  ...PGlite.defaultStartParams.filter((one) => one !== '-F'),
  ...['wal_sync_method=fsync', 'shared_buffers=16MB'].flatMap((setting) => ['-c', setting]),
];

/** PGlite on the files of a directory. What it has committed survives a power cut. */
export const openPGlite = (directory: string) => PGlite.create({ fs: new DurableFiles(directory), startParams });
