/** What a migration must not do while requests are served, and why. The statement has neither comments nor quotes. */
const forbidden: [pattern: RegExp, reason: string][] = [
  [/\balter column \S+ (set data )?type\b/, 'rewrites the table under a lock: add a column instead'],
  [/\bset not null\b/, 'reads the whole table under a lock: add a CHECK that is NOT VALID and validate it later'],
  [/\badd column\b(?!.*\bdefault\b).*\bnot null\b/, 'old nodes insert rows without the column: give it a default'],
  [/\badd column\b.*\b(unique|primary key|generated)\b/, 'builds an index or rewrites the table under a lock'],
  [
    /\badd column\b.*\bdefault\b.*\b(random|gen_random_uuid|clock_timestamp|nextval)\b/,
    'rewrites the table under a lock',
  ],
  [
    /\badd constraint\b.*\b(foreign key|check)\b(?!.*\bnot valid\b)/,
    'reads the whole table under a lock: add NOT VALID',
  ],
  [/\badd (constraint \S+ )?(primary key|unique)\b(?! using index)/, 'builds an index under a lock: build it first'],
  [/^(update|delete from|truncate|insert into \S+ (\(.*?\) )?select)\b/, 'locks rows for long: use a background loop'],
  [/^(lock|cluster|vacuum full|reindex (?!.*concurrently))\b/, 'locks the table'],
  [
    /^(refresh materialized view|alter table \S+ set (logged|unlogged|tablespace))\b/,
    'rewrites the table under a lock',
  ],
];

/** Old nodes may still use it. */
const removal = /^(drop (table|index|view|function|type|sequence)|alter table .*\b(drop (column|constraint)|rename)\b)/;

const UNUSED_SINCE = /^-- unused since (\S+?):/m;

type Migration = { tag: string; sql: string };

/** Why a migration would stop requests or break nodes of the previous version; empty if it does neither. */
export function migrationProblems({ tag, sql }: Migration, tags: readonly string[]): string[] {
  const problems: string[] = [];
  const statements = sql.split('--> statement-breakpoint').map((text) => ({
    text,
    bare: text
      .replace(/^\s*--.*$/gm, '')
      .replaceAll('"', '')
      .replace(/\s+/g, ' ')
      .trim()
      .toLowerCase()
      .replace(/;$/, ''),
  }));
  const complain = (bare: string, reason: string) => problems.push(`${tag}: ${bare.slice(0, 80)} … ${reason}.`);
  const created = statements.flatMap(({ bare }) => /^create table (?:if not exists )?(\S+)/.exec(bare)?.[1] ?? []);
  const isConcurrent = (bare: string) => /\bindex concurrently\b/.test(bare);

  for (const [number, { text, bare }] of statements.entries()) {
    if (bare === '') continue;
    const altered = /^alter table (?:only )?(\S+)/.exec(bare)?.[1];
    const isOfNewTable = altered !== undefined && created.includes(altered);
    for (const [pattern, reason] of forbidden) if (pattern.test(bare) && !isOfNewTable) complain(bare, reason);

    const index = /^create (?:unique )?index (concurrently )?(\S+) on (?:only )?([^\s(]+)/.exec(bare);
    if (index && !index[1] && !created.includes(index[3] as string)) {
      complain(bare, 'blocks every write to the table: build the index CONCURRENTLY');
    }
    const previous = statements[number - 1]?.bare;
    if (index?.[1] && previous !== `drop index concurrently if exists ${index[2]}`) {
      complain(
        bare,
        'an interrupted build may have left an invalid index: DROP INDEX CONCURRENTLY IF EXISTS before it',
      );
    }
    const next = statements[number + 1]?.bare ?? '';
    const isBeforeItsBuild =
      isConcurrent(bare) && next.startsWith('create') && next.includes(bare.split(' ').at(-1) as string);
    if (removal.test(bare) && !isBeforeItsBuild) {
      const since = UNUSED_SINCE.exec(text)?.[1];
      if (since === undefined || !tags.includes(since)) {
        complain(bare, 'old nodes may use it: write `-- unused since <migration>: <why>` above it');
      }
    }
  }
  const alone = statements.filter(({ bare }) => bare !== '');
  if (alone.some(({ bare }) => isConcurrent(bare)) && !alone.every(({ bare }) => isConcurrent(bare))) {
    problems.push(
      `${tag}: it runs outside a transaction because of CONCURRENTLY: put all other statements into another migration.`,
    );
  }
  return problems;
}
