#!/usr/bin/env node
import('../dist/bin.js').catch((error) => {
  const built = error.code !== 'ERR_MODULE_NOT_FOUND' || !String(error.message).includes('bin.js');
  console.error(
    built ? error : 'topctl is not built yet. Run `npm start` or `pnpm build` at the root of the repository.',
  );
  process.exitCode = 1;
});
