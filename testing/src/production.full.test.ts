import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { blocksOf, jsonIn, runPasted } from './documentation-blocks.js';
import { freePort } from './free-port.js';
import { addMigration, makeVersion } from './made-up-version.js';
import { natsServer } from './private-nats.js';
import { postgresBinaries, startPrivatePostgres } from './private-postgres.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const nginx = existsSync('/usr/sbin/nginx') ? '/usr/sbin/nginx' : 'nginx';

/**
 * Starts services as systemd would, because this machine may have none, and may belong to another user than root. The
 * unit of the platform gives the variables and the program.
 */
const SYSTEMCTL = `
start() { "$@" > "$MACHINE/run/$service.log" 2>&1 < /dev/null & echo $! > "$MACHINE/run/$service.pid"; }
stop() {
  pid=$(cat "$MACHINE/run/$service.pid") 2>&- || return 0
  kill "$pid"
  while kill -0 "$pid" 2>&-; do sleep 0.05; done
}
platform() {
  unit=$MACHINE/etc/systemd/system/tenant-open-platform.service
  set -a
  . "$(sed -n 's/^EnvironmentFile=//p' "$unit")"
  eval "export $(sed -n 's/^Environment=//p' "$unit" | sed "s|%d|$MACHINE/etc/tenant-open-platform|" | tr '\\n' ' ')"
  start $(sed -n 's/^ExecStart=//p' "$unit")
}
service=\${*: -1}
case "$*" in
  'restart nats-server') start "$NATS_SERVER" -c "$MACHINE/etc/nats-server.conf" ;;
  'reload nats-server') kill -HUP "$(cat "$MACHINE/run/nats-server.pid")" ;;
  'restart nginx')
    start "$NGINX" -c "$MACHINE/etc/nginx/nginx.conf" -g 'daemon off;'
    # The real one is started when it listens.
    for _ in {1..600}; do (: < "/dev/tcp/127.0.0.1/$TLS_PORT") 2>&- && exit; sleep 0.05; done
    exit 1 ;;
  'enable --now tenant-open-platform') platform ;;
  'restart tenant-open-platform') stop && platform ;;
  'enable --now nats-accounts.timer') ;;
  'start nats-accounts') $(sed -n 's/^ExecStart=//p' "$MACHINE/etc/systemd/system/nats-accounts.service") ;;
  *) exit 64 ;;
esac
`;

const { version } = JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8'));

/** Installs a version by linking it. The real packages are installed by `packages.release.test.ts`. */
const NPM = `
case "$*" in
  *'server@latest '*) version=latest ;;
  *"server@${version} "*) version=previous ;;
  *server@*) exit 64 ;;
  *) exit 0 ;;
esac
ln -sfn "$MACHINE/opt/versions/$version" "$MACHINE/opt/tenant-open-platform/node_modules/@tenant-open-platform/server"
`;

const NGINX = (machine: string) => `pid ${machine}/run/nginx-itself.pid;
error_log stderr;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${machine}/run/${name};`).join('\n  ')}
  include ${machine}/etc/nginx/sites-enabled/*;
}
`;

test('docs/production.md, pasted from top to bottom: a device completes a command through TLS, NATS refuses strangers, and the version before runs on the migrated database', async () => {
  const machine = mkdtempSync(join(tmpdir(), 'top-production-'));
  const postgres = await startPrivatePostgres();
  onTestFinished(async () => {
    for (const name of readdirSync(join(machine, 'run')).filter((file) => file.endsWith('.pid'))) {
      try {
        process.kill(Number(readFileSync(join(machine, 'run', name), 'utf8')), 'SIGTERM');
      } catch {}
    }
    await postgres.stop();
    rmSync(machine, { recursive: true, force: true, maxRetries: 20 });
  });
  const [api, probes, nats, tls] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const { hostname, port, username, password } = new URL(postgres.superuserUrl);
  const replaced: [string | RegExp, string][] = [
    [/(?<![\w/])\/(etc|opt|var)\//g, `${machine}/$1/`],
    ['/usr/bin/node', process.execPath],
    ['name=api.example.com', 'name=localhost'],
    ['https://$name', `https://$name:${tls}`],
    ['listen 443', `listen ${tls}`],
    ['127.0.0.1:5432', `${hostname}:${port}`],
    ['127.0.0.1:4222', `127.0.0.1:${nats}`],
    [':8787', `:${api}`],
    ['8788', String(probes)],
  ];
  const here = (text: string) => replaced.reduce((done, [from, to]) => done.replaceAll(from, to), text);

  for (const folder of [
    'run',
    'bin',
    'etc/ssl',
    'etc/nginx/sites-enabled',
    'etc/systemd/system',
    'var/lib',
    'var/log',
  ]) {
    mkdirSync(join(machine, folder), { recursive: true });
  }
  writeFileSync(join(machine, 'etc/nginx/nginx.conf'), NGINX(machine));
  const program = (name: string, code: string) =>
    writeFileSync(join(machine, 'bin', name), `#!/usr/bin/env bash\n${code}`, { mode: 0o755 });
  program('systemctl', SYSTEMCTL);
  program('su', 'exec bash -c "$4"');
  program('apt-get', '');
  program('npm', NPM);
  const installed = join(machine, 'opt/tenant-open-platform/node_modules');
  const link = (path: string, target: string) => {
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(resolve(root, target), path);
  };
  link(join(installed, '.bin/topctl'), 'cli/bin/topctl.mjs');
  const active = join(installed, '@tenant-open-platform/server');
  link(join(installed, '.bin/tenant-open-platform'), join(active, 'dist/main.js'));
  link(join(machine, 'opt/pumps/node_modules'), 'examples/vendor-adapter/node_modules');
  const [previous, latest] = [join(machine, 'opt/versions/previous'), join(machine, 'opt/versions/latest')];
  makeVersion(latest, '999.0.0', (drizzle) =>
    addMigration(drizzle, '9999_of_latest', 'ALTER TABLE commands ADD COLUMN of_latest text;'),
  );
  link(active, previous);
  const dist = join(previous, 'dist');
  link(join(dist, 'main.js'), 'server/dist/main.js');
  cpSync(join(root, 'server/dist/deploy'), join(dist, 'deploy'), { recursive: true });
  for (const entry of readdirSync(join(dist, 'deploy'), { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile()) writeFileSync(file, here(readFileSync(file, 'utf8')));
  }
  // There may be no user `nats` here. A page that fails leaves its adapter behind.
  const before = `install() { mkdir -p "$8"; }\ntrap 'kill $(jobs -p) 2>&- || true' EXIT\n`;
  const pasted = blocksOf('docs/production.md').map(({ code }) => code);
  const env = {
    PATH: [join(machine, 'bin'), postgresBinaries(), process.env.PATH].join(':'),
    MACHINE: machine,
    NATS_SERVER: natsServer,
    NGINX: nginx,
    PORT: String(api),
    TLS_PORT: String(tls),
    PGHOST: hostname,
    PGPORT: port,
    PGUSER: username,
    PGPASSWORD: password,
    PGDATABASE: 'postgres',
  };
  const printed = await runPasted(
    { language: 'sh', marked: 'run-production', code: before + here(pasted.join('\n')) },
    { env },
  );

  expect(jsonIn(printed)).toContainEqual(expect.objectContaining({ status: 'SUCCEEDED', result: { rpm: 1200 } }));
  expect(printed.match(/\{"status":"ready"\}/g)).toHaveLength(3);
  expect(readlinkSync(active)).toBe(previous);
  // Only the latest version has this migration, so it did run.
  execFileSync(
    join(postgresBinaries(), 'psql'),
    ['--dbname', 'top', '--command', 'select of_latest from commands limit 0'],
    { env },
  );
  const folder = join(machine, 'etc/tenant-open-platform');
  expect(readFileSync(join(folder, 'top.sql'), 'utf8')).toContain('CREATE TABLE public.commands');
  expect(readFileSync(join(folder, 'roles.sql'), 'utf8')).toContain('CREATE ROLE top_app');
  const stranger = connect(nats, '127.0.0.1').setEncoding('utf8');
  stranger.write('CONNECT {}\r\nPING\r\n');
  expect((await stranger.toArray()).join('')).toContain("-ERR 'Authorization Violation'");
}, 300_000);
