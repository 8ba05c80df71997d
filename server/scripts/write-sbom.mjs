import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifestOf } from '../../scripts/bundled-packages.mjs';
import { bundledPackages, server } from './bundled-packages.mjs';

/**
 * Writes a bill of materials in the format of CycloneDX. It lists the bundled packages and the dependencies that npm
 * installs. It runs before the package is packed, because the version is known only then. The same sources give the
 * same bytes.
 */
const purlOf = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;
const isPatched = ({ name, version }) =>
  existsSync(join(server, '../patches', `${name.replace('/', '__')}@${version}.patch`));

const componentOf = (one) => ({
  type: 'library',
  'bom-ref': purlOf(one),
  name: one.name,
  version: one.version,
  licenses: [{ license: { id: one.license } }],
  purl: purlOf(one),
  ...(isPatched(one) && { pedigree: { notes: 'Patched: the patch is in the folder `patches` of the repository.' } }),
});

const { dependencies } = JSON.parse(readFileSync(join(server, 'package.json'), 'utf8'));
const installed = Object.keys(dependencies).map((name) => manifestOf(join(server, 'node_modules', name)));
const packages = [...bundledPackages(), ...installed].sort((a, b) => (purlOf(a) < purlOf(b) ? -1 : 1));
const own = { ...componentOf(manifestOf(server)), type: 'application' };
const bom = {
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { component: own },
  components: packages.map(componentOf),
  dependencies: [{ ref: own.purl, dependsOn: packages.map(purlOf) }],
  // The script of the reference page contains packages that its maker bundled. This list does not have them.
  compositions: packages
    .filter(({ name }) => name === '@scalar/api-reference')
    .map((page) => ({ aggregate: 'incomplete', assemblies: [purlOf(page)] })),
};
writeFileSync(join(server, 'dist/sbom.cdx.json'), `${JSON.stringify(bom, null, 2)}\n`);
