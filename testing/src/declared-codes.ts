import { allOperations, errorsOf } from '@tenant-open-platform/contract';

const operations = allOperations.map((operation) => ({
  name: operation.name,
  method: operation.route.method,
  path: new RegExp(`^${operation.route.path.replaceAll(/:\w+/g, '[^/]+')}$`),
  codes: new Set<string>(errorsOf(operation)),
}));

/** Fails the test if an operation answers an error code that the contract does not declare for it. */
export function refuseUndeclaredCode(method: string, target: string, { body }: { body: { code?: unknown } }): void {
  const code = typeof body === 'object' && body !== null ? body.code : undefined;
  if (typeof code !== 'string') return;
  const path = target.split('?', 1)[0] ?? '';
  const operation = operations.find((each) => each.method === method && each.path.test(path));
  if (!operation || operation.codes.has(code)) return;
  throw new Error(`${operation.name} answered ${code}. Declare it in the metadata of the operation in contract/src.`);
}
