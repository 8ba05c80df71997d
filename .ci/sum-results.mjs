import { existsSync, readFileSync } from 'node:fs';

/**
 * Names each failed test with its error, then prints `N passed, N failed` over several vitest results.
 * Fails unless every run has at least one passed test.
 */
const [failedSteps, ...files] = process.argv.slice(2);
let passed = 0;
let failed = 0;
let complete = true;
for (const file of files) {
  const result = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { testResults: [] };
  const states = result.testResults.flatMap(({ name, message, status, assertionResults }) => {
    const failedTests = assertionResults.filter((test) => test.status === 'failed');
    const brokenFile = status === 'failed' && failedTests.length === 0;
    for (const test of failedTests)
      console.log(`Failed: ${name} > ${test.fullName}\n${test.failureMessages.join('\n')}`);
    if (brokenFile) console.log(`Failed: ${name}\n${message}`);
    return [...assertionResults.map((test) => test.status), ...(brokenFile ? ['failed'] : [])];
  });
  const passedHere = states.filter((state) => state === 'passed').length;
  passed += passedHere;
  failed += states.length - passedHere;
  complete &&= result.success === true && passedHere > 0;
}
// A failed check or a run without a result counts as a failure too: the last line must not read as success.
const succeeded = complete && failed === 0 && failedSteps === '0';
if (!succeeded && failed === 0) failed = Math.max(1, Number(failedSteps));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = succeeded ? 0 : 1;
