import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

type Options = { within?: string[]; impacts?: string[] };

/** What axe-core finds in these elements: the rule, and the elements. The page must be opened with `bypassCSP`. */
export async function findings(page: Page, { within = ['html'], impacts }: Options = {}): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify({ include: within })}, ${JSON.stringify({ resultTypes: ['violations'] })})`,
  )) as AxeResults;
  return violations
    .filter(({ impact }) => impacts?.includes(impact ?? '') ?? true)
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`));
}
