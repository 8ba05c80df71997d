import { execFileSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export type Mount = { source: string; target: string; type: 'bind' | 'volume'; read_only?: boolean };

export type Service = {
  entrypoint?: string[];
  command?: string[];
  environment?: Record<string, string>;
  volumes?: Mount[];
  user?: string;
  depends_on?: Record<string, { condition: 'service_started' | 'service_healthy' | 'service_completed_successfully' }>;
  healthcheck?: { test: string[] };
  deploy?: { replicas?: number };
};

export type ComposeFile = { services: Record<string, Service>; configs: Record<string, { content: string }> };

/** Copies compose.yaml and its files to a folder with this `.env`, and reads it there with the library of Docker Compose. */
export function resolveCompose(folder: string, variables: Record<string, string> = {}): ComposeFile {
  cpSync(join(root, 'compose.yaml'), join(folder, 'compose.yaml'));
  cpSync(join(root, 'deploy/compose'), join(folder, 'deploy/compose'), { recursive: true });
  const lines = Object.entries(variables).map(([name, value]) => `${name}='${value}'\n`);
  if (lines.length > 0) writeFileSync(join(folder, '.env'), lines.join(''));
  const program = ['run', '.', join(folder, 'compose.yaml')];
  const cwd = fileURLToPath(new URL('../compose-config', import.meta.url));
  return JSON.parse(execFileSync('go', program, { cwd, encoding: 'utf8', stdio: 'pipe' }));
}
