import { existsSync, readFileSync } from 'node:fs';

/** Prints `N passed, N failed` over several results of vitest, and fails unless every run has passed some test. */
const [failedSteps, ...files] = process.argv.slice(2);
let passed = 0;
let failed = 0;
let complete = true;
for (const file of files) {
  const result = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { testResults: [] };
  const states = result.testResults.flatMap(({ status, assertionResults }) => {
    const brokenFile = status === 'failed' && !assertionResults.some((test) => test.status === 'failed');
    return [...assertionResults.map((test) => test.status), ...(brokenFile ? ['failed'] : [])];
  });
  const passedHere = states.filter((state) => state === 'passed').length;
  passed += passedHere;
  failed += states.length - passedHere;
  complete &&= result.success === true && passedHere > 0;
}
// A check that failed, or a run without a result, is a failure too: the closing line must not read as success.
const succeeded = complete && failed === 0 && failedSteps === '0';
if (!succeeded && failed === 0) failed = Math.max(1, Number(failedSteps));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = succeeded ? 0 : 1;
