import { fileURLToPath } from 'node:url';
import { bundledInto, writeNotices } from '../../scripts/bundled-packages.mjs';

/** Run by the build: puts the licences of everything bundled into `dist`. */
const cli = fileURLToPath(new URL('..', import.meta.url));
writeNotices(cli, bundledInto(cli));
