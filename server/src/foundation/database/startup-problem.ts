import { setTimeout as delay } from 'node:timers/promises';
import { StartupError } from '../startup-error.js';
import { urlsOfHosts } from '../urls.js';
import { codedErrorIn, hadNoEffect, hasUnknownEffect } from './database-error.js';

const START_WITHIN_MS = 15_000;
const RETRY_AFTER_MS = 250;

/** Opens Postgres as soon as it can be reached, within a bounded time. Logs once why it waits. */
export async function waitForPostgres<Result>(url: string, open: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + START_WITHIN_MS;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await open();
    } catch (error) {
      const problem = startupProblem(error, url) ?? otherProblem(error, url);
      if (!problem) throw error;
      if (!problem.isTemporary || performance.now() > until) throw problem;
      if (isFirst) console.error(`Waiting up to ${START_WITHIN_MS / 1000} seconds for Postgres. ${problem.message}`);
      await delay(RETRY_AFTER_MS);
    }
  }
}

/** An error of the driver or of Node for which the platform knows no remedy. */
function otherProblem(error: unknown, url: string): StartupError | null {
  const coded = codedErrorIn(error);
  if (!coded) return null;
  const { code, message } = coded;
  const reason = message.includes(code) ? message : `${code}: ${message}`;
  return new StartupError(`Postgres at ${hostsOf(url)} cannot be used: ${reason}.`);
}

const hostsOf = (url: string) =>
  urlsOfHosts(url)
    .map((one) => new URL(one).host)
    .join();

/** The problem and its remedy in one line; null if the error does not come from the database. */
export function startupProblem(error: unknown, url: string): StartupError | null {
  const coded = codedErrorIn(error);
  if (!coded) return null;
  const host = hostsOf(url);
  const { username, pathname } = new URL(urlsOfHosts(url)[0] as string);
  const user = decodeURIComponent(username);
  const name = decodeURIComponent(pathname.slice(1)) || user;
  const { code, message } = coded;
  const waiting = (reason: string) => new StartupError(`Postgres at ${host} ${reason}`, { isTemporary: true });
  const wrong = (reason: string) => new StartupError(`Postgres at ${host} ${reason}`);

  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return waiting(`was not found: the name has no address (${code}). Correct the host in DATABASE_URL.`);
  }
  if (code === 'ECONNREFUSED') {
    return waiting('refuses connections. Start it, or correct host and port in DATABASE_URL.');
  }
  if (/CERT|TLS|SSL|LEAF_SIGNATURE|EPROTO/.test(code)) {
    return wrong(
      `cannot be reached by TLS: ${message} (${code}). Set NODE_EXTRA_CA_CERTS to its certificate authority, and use in DATABASE_URL the name or the address that its certificate has.`,
    );
  }
  // The driver ends a connection that turns out to lead to a standby.
  if (code === 'CONNECTION_DESTROYED' && urlsOfHosts(url).length > 1) {
    return waiting('has no primary among these hosts. Start it, or promote a standby.');
  }
  if (code === '25006') return waiting('is a standby. Promote it, or name the primary in DATABASE_URL.');
  const isTemporary = hadNoEffect(error) || hasUnknownEffect(error) || code === 'ETIMEDOUT';
  // Only errors of Postgres itself have a severity.
  if (!('severity' in coded)) {
    if (!isTemporary) return null;
    return waiting(`does not answer (${code}). Start it, or correct host, port and sslmode in DATABASE_URL.`);
  }
  if (isTemporary) return waiting(`cannot be used at the moment: ${message}.`);
  if (NO_ROLE.has(code) && /\brole\b/.test(message)) {
    return wrong(
      `lacks a role of the platform: ${message}. A dump of a database contains no roles: create top_app, top_system and top_ingest, then restore the dump.`,
    );
  }
  switch (code) {
    case '3D000': // invalid_catalog_name
      return wrong(`has no database "${name}". Create it: create database "${name}" owner "${user}" encoding 'UTF8'.`);
    case '28P01': // invalid_password
      return wrong(`refuses the user "${user}" or its password. Correct DATABASE_URL.`);
    case '28000': // invalid_authorization_specification
      return wrong(
        /no encryption|SSL off/.test(message)
          ? `requires TLS: ${message}. Add ?sslmode=verify-full to DATABASE_URL.`
          : `refuses the user "${user}": ${message}. Correct DATABASE_URL, or pg_hba.conf.`,
      );
    case '08P01': // protocol_violation
      return wrong(`does not accept the platform's settings: ${message}. Connect without a pooler.`);
    case '42501': // insufficient_privilege
      return wrong(`gives the user "${user}" too few rights: ${message}. ${rightsFix(message, name, user)}`);
    default:
      return wrong(`fails: ${message} (${code}).`);
  }
}

/** A role does not exist: invalid_parameter_value in a transaction, undefined_object in a grant. */
const NO_ROLE = new Set(['22023', '42704']);

function rightsFix(message: string, name: string, user: string): string {
  if (/create role/.test(message)) return `Run as superuser: alter role "${user}" createrole.`;
  if (/set role|admin option|ADMIN option/.test(message)) {
    const grant = `grant top_app, top_system, top_ingest to "${user}"`;
    return `Before Postgres 16, run as superuser: ${grant}. Since Postgres 16: ${grant} with inherit false.`;
  }
  return `Run as superuser: alter database "${name}" owner to "${user}".`;
}
