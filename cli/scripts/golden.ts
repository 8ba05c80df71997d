import { writeFile } from 'node:fs/promises';
import { completeHelp } from '../test/complete-help.js';

await writeFile(new URL('../help.golden.txt', import.meta.url), await completeHelp());
