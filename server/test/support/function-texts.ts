import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../drizzle/functions', import.meta.url));

/** Each file of drizzle/functions: the name of the function and its body. */
export const writtenFunctions = () =>
  readdirSync(folder).map((file) => ({
    name: basename(file, '.sql'),
    body: /^as \$\$(.*)^\$\$;$/ms.exec(readFileSync(join(folder, file), 'utf8'))?.[1],
  }));

/** The same of a database. */
export const STORED_FUNCTIONS = `
  select proname as name, prosrc as body from pg_proc
  where pronamespace in ('public'::regnamespace, 'admission'::regnamespace) order by proname`;
