import { readFileSync } from 'node:fs';

/** Read and not imported: a bundle would keep the version of its build. src and dist are equally deep. */
const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
export const platformVersion: string = JSON.parse(manifest).version;
