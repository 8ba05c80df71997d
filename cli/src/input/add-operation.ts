import type { Command } from 'commander';
import type { Invocation } from '../invocation.js';
import { operations, resources } from '../operations.gen.js';
import { addExamples } from './examples.js';
import { type Field, FieldOption } from './field.js';
import type {
  AnyCall,
  AnyDefinition,
  Definition,
  Described,
  NameOf,
  None,
  OperationName,
  Resource,
  VerbOf,
} from './operation.js';
import { pageFields, pageOf, pageSize } from './page.js';
import { readInput } from './read-input.js';
import { withWholeIds } from './whole-id.js';

/** Adds the group of a resource. Returns a function that adds a command for an operation of the resource. */
export function addResource<R extends Resource>(program: Command, invocation: Invocation, resource: R) {
  const name = resource.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const group = program.command(name).description(resources[resource]).helpCommand(false);
  return <
    Verb extends VerbOf<R>,
    const Flags extends Record<string, Field> = None,
    const Arguments extends Record<string, string> = None,
  >(
    verb: Verb,
    definition: Definition<NameOf<R, Verb>, Flags, Arguments>,
  ) => addOperation(group, invocation, `${resource}.${verb}` as NameOf<R, Verb>, definition);
}

/** Adds a command. Its help, arguments and flags come from the contract, unless the definition overrides them. */
export function addOperation<
  Name extends OperationName,
  const Flags extends Record<string, Field> = None,
  const Arguments extends Record<string, string> = None,
>(group: Command, invocation: Invocation, name: Name, definition: Definition<Name, Flags, Arguments>): void {
  const untyped = definition as unknown as AnyDefinition;
  const command = createCommand(group, name, untyped);
  command.action(() => run(command, invocation, name, untyped));
}

function createCommand(group: Command, name: OperationName, definition: AnyDefinition): Command {
  const operation: Described = operations[name];
  const [resource, verb = ''] = name.split('.');
  const command = group
    .command(definition.as ?? verb)
    .summary(definition.summary ?? `${operation.summary}.`)
    .description(`${definition.description ?? describe(operation, verb)}\n\n${describeScope(operation)}`);
  for (const [argument, text] of Object.entries(definition.args ?? {})) command.argument(`<${argument}>`, text);
  for (const [id, text] of Object.entries(operation.path)) {
    if (id !== 'tenant_id') command.argument(`<${id}>`, text);
    else if (resource === 'tenants') command.argument('[tenant_id]', 'The tenant. Default: --tenant, or your own.');
  }
  const fields = {
    ...fieldsOf(operation, definition),
    ...(verb === 'list' && !definition.isEndless && pageFields),
    ...(operation.isKeyed && keyField),
  };
  for (const [field, described] of Object.entries(fields)) command.addOption(new FieldOption(field, described));
  return addExamples(command, [...(definition.as ? [] : [operation.example]), ...(definition.examples ?? [])]);
}

const keyField = {
  idempotency_key: {
    kind: 'text',
    description: 'Makes the call safe to repeat: for 24 hours, the same call with the same key has the same answer.',
  },
} as const satisfies Record<string, Field>;

async function run(command: Command, invocation: Invocation, name: OperationName, definition: AnyDefinition) {
  const operation: Described = operations[name];
  const isList = name.endsWith('.list') && !definition.isEndless;
  const { confirm } = definition;
  const asks = (input: object) => confirm !== undefined && (confirm.when?.(input) ?? true);

  const flags = command.opts<Record<string, string | true>>();
  if (operation.isKeyed) {
    invocation.idempotencyKey = flags.idempotency_key as string | undefined;
    delete flags.idempotency_key;
  }
  const fields = fieldsOf(operation, definition);
  if (changesNothing(name, definition, fields, flags)) throw invocation.usageError('give at least one flag to change');
  const page = pageOf(invocation, flags);
  const args = Object.fromEntries(
    command.registeredArguments.map((argument, index) => [argument.name(), command.args[index]]),
  );
  const confirmation = async (given: Record<string, unknown>) => {
    if (!confirm || !asks(given)) return undefined;
    const { clientId, tenant } = await invocation.actor();
    const path = { ...args, tenant_id: args.tenant_id ?? tenant };
    return confirm.question({ path, args, input: given, clientId }, path.tenant_id);
  };
  const input = await readInput(invocation, fields, flags, { ...definition, confirmation });
  if (isList) input.limit = pageSize(page);

  const session = await (operation.tenant === 'own' ? invocation.connectToOwnTenant() : invocation.connect());
  const needsTenant = 'tenant_id' in operation.path || (asks(input) && operation.tenant === 'own');
  const tenant = args.tenant_id ?? (needsTenant ? await invocation.tenantOf(session) : undefined);
  const { client } = session;
  const whole = <V extends Record<string, unknown>>(ids: V) =>
    withWholeIds(ids, { client, tenant }, (problem) => invocation.usageError(problem));
  const path = { ...(await whole(args)), tenant_id: tenant };
  Object.assign(input, await whole(input));
  const call: AnyCall = { client, session, path, args, input, page };
  invocation.attempt = { name, path: call.path, input };

  if (confirm && asks(input))
    await invocation.confirm(confirm.question({ ...call, clientId: session.profile.client_id }, tenant ?? ''));
  if (definition.run) await definition.run(call);
  else if (isList) await invocation.printItems(definition.call(call) as AsyncIterable<object>, definition.view, page);
  else await invocation.printItem(await (definition.call(call) as PromiseLike<object>), definition.view);
}

/** Whether a command that changes a resource got no flag. */
function changesNothing(
  name: OperationName,
  { as }: AnyDefinition,
  fields: Record<string, Field>,
  flags: Record<string, unknown>,
): boolean {
  const changes = as === undefined && /\.(update|put)$/.test(name);
  return changes && Object.keys(flags).length === 0 && !Object.values(fields).some(({ isRequired }) => isRequired);
}

function fieldsOf({ fields }: Described, { fields: changed = {}, only, flags }: AnyDefinition): Record<string, Field> {
  const ofContract = Object.entries(fields).flatMap(([name, field]): [string, Field][] => {
    const change = changed[name];
    return change === null || (only && !only.includes(name)) ? [] : [[name, { ...field, ...change }]];
  });
  return { ...Object.fromEntries(ofContract), ...flags };
}

function describe({ summary, description }: Described, verb: string): string {
  return verb === 'update' ? `${summary}. A field without its flag stays as it is.` : description;
}

function describeScope({ scope, tenant }: Described): string {
  if (scope === null) return 'Scope: none. Every valid credential may call it.';
  return `Scope: ${scope}${tenant === 'platform' ? ', in the tenant platform' : ''}.`;
}
