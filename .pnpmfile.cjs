/** Of Scalar we serve the build for browsers, which has everything in it: nothing that it is built from is installed. */
function readPackage(manifest) {
  if (manifest.name !== '@scalar/api-reference') return manifest;
  const { dependencies, engines, ...rest } = manifest;
  return rest;
}

module.exports = { hooks: { readPackage } };
