import { platform } from '@tenant-open-platform/testing';
import { untilServed } from './until-served.js';

/**
 * Makes `count` calls at once, alternating between the nodes, and waits for all. On a slow machine some wait longer for
 * their turn than the platform lets them: they are repeated.
 */
export function onBothNodes<Result>(
  count: number,
  call: (node: string, index: number) => Promise<Result>,
): Promise<Result[]> {
  const { nodes } = platform();
  return Promise.all(
    Array.from({ length: count }, (_, index) => untilServed(() => call(nodes[index % nodes.length] as string, index))),
  );
}
