import { writeFile } from 'node:fs/promises';
import { configurationSchema } from '../src/configuration/file-schema.js';
import { renderOperations } from './operations.js';

const write = (path: string, text: string) => writeFile(new URL(`../${path}`, import.meta.url), text);

await write('src/operations.gen.ts', renderOperations());
await write('configuration.schema.json', `${JSON.stringify(configurationSchema(), null, 2)}\n`);
// Import it only now: the program that prints the help imports the file that was just written.
const { completeHelp } = await import('../test/complete-help.js');
await write('help.golden.txt', await completeHelp());
