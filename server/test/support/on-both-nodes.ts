import { platform } from '@tenant-open-platform/testing';

/** Makes `count` calls at once, alternating between the nodes, and waits for all. */
export function onBothNodes<Result>(
  count: number,
  call: (node: string, index: number) => Promise<Result>,
): Promise<Result[]> {
  const { nodes } = platform();
  return Promise.all(Array.from({ length: count }, (_, index) => call(nodes[index % nodes.length] as string, index)));
}
