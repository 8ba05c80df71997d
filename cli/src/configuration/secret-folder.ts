import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import { textIn } from '../input/decode.js';
import { createSecretFile } from '../secrets/secret-file.js';
import type { Profile } from '../session/profile.js';
import { nullIfAbsent, writeFileAtomically } from '../write-file-atomically.js';
import type { Fields, ListName } from './kinds.js';

/** The platform returns a secret again, for the same key, for 24 hours. */
const REPEATABLE_MS = 23 * 3_600_000;

/** A request whose secret did not arrive: a file keeps it in the place of the secret. */
export type Unanswered = { idempotency_key: string; body: Fields; base_url: string; sent_at: string };

type Thing = { list: ListName; tenant: string; fields: Fields };

/** What a new thing of these lists returns only once. */
export const hasSecret = (list: ListName) => list === 'credentials' || list === 'callback_endpoints';

/** Where the secrets of tenants are: profiles of credentials, secrets of callbacks, and access keys of object stores. */
export class SecretFolder {
  constructor(
    private readonly context: Context,
    private readonly profile: Profile,
    readonly path: string,
  ) {}

  /** The file of a secret. */
  fileOf({ list, tenant, fields }: Thing): string {
    switch (list) {
      case 'credentials':
        return join(this.path, tenant, `${fields.client_id}.json`);
      case 'callback_endpoints':
        return join(this.path, tenant, 'callback-endpoints', `${fileName(fields.name)}.secret`);
      default:
        return join(this.path, tenant, 'object-credentials', `${fileName(fields.access_key_id)}.secret`);
    }
  }

  /** The secret that a person has put there; undefined if there is none. */
  async given(thing: Thing): Promise<string | undefined> {
    const text = (await this.read(this.fileOf(thing)))?.trim();
    return text === '' ? undefined : text;
  }

  async exists(thing: Thing): Promise<boolean> {
    return (await this.read(this.fileOf(thing))) !== undefined;
  }

  /** The request that an interrupted apply has sent, if the platform can still return its secret. */
  async unanswered(thing: Thing): Promise<Unanswered | undefined> {
    const request = await this.requestOf(thing);
    return request && isRepeatable(request) ? request : undefined;
  }

  /** Whether an interrupted apply has sent a request whose secret can no longer be returned. */
  async hasLost(thing: Thing): Promise<boolean> {
    const request = await this.requestOf(thing);
    return request !== undefined && !isRepeatable(request);
  }

  /** Creates the file with the request before the request is sent: no interruption can lose the secret. */
  async prepare(thing: Thing, body: Fields): Promise<Unanswered> {
    if (await this.unanswered(thing)) await this.discard(thing);
    const path = this.fileOf(thing);
    const folder = dirname(resolve(this.context.cwd, path));
    await this.context.fs.mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: Error) => {
      throw new UsageError(`cannot create the folder of ${path}: ${error.message}`);
    });
    const request: Unanswered = {
      idempotency_key: crypto.randomUUID(),
      body,
      base_url: this.profile.base_url,
      sent_at: new Date().toISOString(),
    };
    const file = await createSecretFile(this.context, path);
    await file.write(`${JSON.stringify(request, null, 2)}\n`);
    return request;
  }

  /** Replaces the request by the secret. The file of a credential is a complete profile. */
  async keep(thing: Thing, secret: string): Promise<void> {
    const { base_url, ca_file } = this.profile;
    const profile = { base_url, tenant_id: thing.tenant, client_id: thing.fields.client_id, secret };
    const text =
      thing.list === 'credentials'
        ? JSON.stringify({ ...profile, ...(ca_file !== undefined && { ca_file }) }, null, 2)
        : secret;
    await writeFileAtomically(this.context, this.fileOf(thing), (file) => file.writeFile(`${text}\n`), { mode: 0o600 });
  }

  /** The platform has refused the request: there is no secret. */
  async discard(thing: Thing): Promise<void> {
    await this.context.fs.unlink(resolve(this.context.cwd, this.fileOf(thing)));
  }

  private async requestOf(thing: Thing): Promise<Unanswered | undefined> {
    const request = requestIn((await this.read(this.fileOf(thing))) ?? '');
    return request?.base_url === this.profile.base_url ? request : undefined;
  }

  private async read(path: string): Promise<string | undefined> {
    const { fs, cwd } = this.context;
    const bytes = await fs.readFile(resolve(cwd, path)).catch(nullIfAbsent);
    return bytes === null ? undefined : textIn(bytes, path);
  }
}

const isRepeatable = ({ sent_at }: Unanswered) => Date.now() - Date.parse(sent_at) < REPEATABLE_MS;

/** Undefined for a secret. */
function requestIn(text: string): Unanswered | undefined {
  try {
    const request = JSON.parse(text) as Partial<Unanswered>;
    return request.idempotency_key && request.body && request.sent_at ? (request as Unanswered) : undefined;
  } catch {
    return undefined;
  }
}

/** A file that is applied is kept in git, and a secret is not. */
export function refuseSecretsAmongFiles({ cwd }: Context, secretsDir: string, paths: readonly string[]): void {
  for (const path of paths) {
    const below = relative(resolve(cwd, path), resolve(cwd, secretsDir));
    if (path === '-' || below.startsWith('..') || isAbsolute(below)) continue;
    throw new UsageError(`--secrets-dir ${secretsDir} is in ${path}, which is applied: choose a folder outside of it`);
  }
}

/** A name has any printable characters. */
const fileName = (name: unknown) => String(name).replace(/[^\p{L}\p{N} ._-]/gu, encodeURIComponent);
