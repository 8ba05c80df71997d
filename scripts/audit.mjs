import { join } from 'node:path';
import { bundledPackages } from '../server/scripts/bundled-packages.mjs';
import { bringPnpm, runPnpm } from './bring-pnpm.mjs';
import { bundledInto } from './bundled-packages.mjs';
import { prepare } from './prepare.mjs';
import { fail, root } from './root.mjs';

/**
 * Asks the registry for advisories on every package of the lockfile. Fails if one concerns what users get: a bundled
 * package or a dependency that npm installs. Advisories on tools are printed. A mirror may refuse the question; then
 * this says so and does not fail, because nothing is known.
 */
await prepare();
bringPnpm();

function advisories(...options) {
  const { output } = runPnpm('audit', '--json', ...options);
  const answer = JSON.parse(output.slice(output.indexOf('{')));
  if (answer.error) {
    console.log(`NOT CHECKED: the registry gives no advisories. ${answer.error.message}`);
    process.exit(0);
  }
  return Object.values(answer.advisories);
}

const installed = new Set(advisories('--prod').map(({ url }) => url));
const packages = [...bundledPackages(), ...bundledInto(join(root, 'cli'))];
const bundled = new Set(packages.map(({ name, version }) => `${name}@${version}`));
const found = advisories().map(({ module_name: name, severity, title, url, findings }) => {
  const isBundled = findings.some(({ version }) => bundled.has(`${name}@${version}`));
  return { isShipped: isBundled || installed.has(url), text: `${name}: ${severity}: ${title} ${url}` };
});
const shipped = found.filter(({ isShipped }) => isShipped).map(({ text }) => text);
for (const { isShipped, text } of found) if (!isShipped) console.log(`In a tool, not in a package: ${text}`);
if (shipped.length > 0) fail(`In what users get:\n${shipped.join('\n')}`);
console.log(`No advisory on the ${bundled.size} bundled packages and on what npm installs.`);
