import { CancelledError, UsageError } from '../errors.js';
import type { Attempt } from '../failure/attempt.js';
import { reportFailure } from '../failure/report-failure.js';
import { interruptible } from '../interruptible.js';
import type { Invocation } from '../invocation.js';
import { carryOut } from './carry-out.js';
import { type Plan, type PlatformAccess, type Prune, planOf, type Step } from './plan.js';
import { isToDo, planText, recordFields, recordOf, view } from './print-plan.js';
import { readFiles } from './read-files.js';
import { hasSecret, refuseSecretsAmongFiles, SecretFolder } from './secret-folder.js';
import { tenantClients } from './tenant-clients.js';

export { configurationSchema } from './file-schema.js';

export type ApplyFlags = { file: readonly string[]; secretsDir: string | undefined; prune: Prune };

/** Makes the platform as the files say: a plan, a question, and one step after the other. */
export async function apply(invocation: Invocation, { file, secretsDir, prune }: ApplyFlags): Promise<void> {
  const { context } = invocation;
  if (invocation.format !== 'table') invocation.refuseUnknownFields(recordFields);
  if (secretsDir !== undefined) refuseSecretsAmongFiles(context, secretsDir, file);
  const lists = await readFiles(context, file);
  const session = await invocation.connect();
  invocation.howToRepeat = () => 'run the same topctl apply again';
  const access: PlatformAccess = {
    session,
    clients: tenantClients(invocation, session, secretsDir),
    secrets: secretsDir === undefined ? undefined : new SecretFolder(context, session.profile, secretsDir),
  };
  const plan = await planOf(lists, access, prune);
  const isText = invocation.format === 'table';
  const stream = isText ? context.stdout : context.stderr;
  stream.write(planText(context, stream, plan));
  for (const what of plan.leftOut) invocation.leaveOut(what);
  const needsFolder = secretsWithoutFolder(plan, access);
  const { dryRun } = invocation.flags;
  if (dryRun) for (const line of needsFolder) invocation.note(`Without --dry-run: ${line}`);
  const problems = [...plan.problems, ...(dryRun ? [] : needsFolder)];
  if (problems.length > 0) {
    throw new UsageError(
      `this plan cannot be carried out, so nothing was done\n${problems.map((line) => `  ${line}`).join('\n')}`,
    );
  }
  const toDo = plan.steps.filter(isToDo);
  const done = new Set<Step>();
  const print = async () => {
    if (isText) return;
    const records = plan.steps.map((step) => recordOf(step, done.has(step)));
    await invocation.printItems(records, view, { limit: 0, all: true });
  };
  if (toDo.length === 0) invocation.note('Nothing to do: the platform is as the files say.');
  if (toDo.length === 0 || dryRun) return print();

  await invocation.confirm(
    `Apply ${toDo.length} ${toDo.length === 1 ? 'step' : 'steps'} to ${session.profile.base_url}?`,
  );
  // Somebody may have changed the platform while the question was open.
  if (!invocation.isConfirmed) await refuseIfChanged(plan, () => planOf(lists, access, prune));
  try {
    await carryOutAll(invocation, access, toDo, done);
  } finally {
    await print();
  }
}

function secretsWithoutFolder({ steps }: Plan, { secrets }: PlatformAccess): string[] {
  if (secrets || !steps.some(({ action, thing }) => action === 'CREATE' && hasSecret(thing.list))) return [];
  return ['it creates secrets, which are shown only once: say where to write them, with --secrets-dir FOLDER'];
}

async function refuseIfChanged(plan: Plan, planAgain: () => Promise<Plan>): Promise<void> {
  const textOf = ({ steps, problems }: Plan) =>
    JSON.stringify([steps.map((step) => [recordOf(step, false), step.thing.found?.updated_at]), problems]);
  if (textOf(await planAgain()) === textOf(plan)) return;
  throw new UsageError(
    'the platform has changed since the plan was shown, so nothing was done; run topctl apply again',
  );
}

async function carryOutAll(invocation: Invocation, access: PlatformAccess, toDo: readonly Step[], done: Set<Step>) {
  const outOf = () => `${done.size} of ${toDo.length} steps are done`;
  const refusedTenants = new Set<string>();
  await interruptible(invocation.context, async (signal) => {
    for (const step of toDo) {
      const { tenant, label } = step.thing;
      if (refusedTenants.has(tenant)) continue;
      if (signal.aborted) throw new CancelledError(`cancelled: ${outOf()}; run the same topctl apply again to go on`);
      try {
        const remark = await carryOut(access, step);
        done.add(step);
        invocation.note(`${verbs[step.action]} ${label}${remark}`);
      } catch (error) {
        const where = `${label}${step.place ? ` (${step.place})` : ''}`;
        if (tenant !== '' && (await isConflict(error))) {
          refusedTenants.add(tenant);
          await reportFailure(invocation, error);
          invocation.leaveOut(`${where}, and what follows of tenant ${tenant}. Correct the cause and run it again.`);
          continue;
        }
        invocation.note(`Stopped at ${where}: ${outOf()}, and none after it was tried.`);
        invocation.attempt = await attemptOf(step, error);
        invocation.note('What is done stays. Correct the cause and run the same topctl apply again: it does the rest.');
        throw error;
      }
    }
  });
  invocation.note(`${outOf()}.`);
}

/** Names that somebody else has taken, limits, and a move: what one tenant does must not stop the steps of the others. */
async function isConflict(error: unknown): Promise<boolean> {
  const { isApiError } = await import('@tenant-open-platform/sdk');
  return isApiError(error) && (error.status === 409 || error.code === 'TENANT_MOVING');
}

/** Lets the message name the thing that was not found. The answer names only its field. */
async function attemptOf({ thing, body }: Step, error: unknown): Promise<Attempt | undefined> {
  const { isApiError } = await import('@tenant-open-platform/sdk');
  if (!isApiError(error, 'NOT_FOUND')) return undefined;
  const path = { ...thing.parent?.found, ...thing.found, ...body, ...(thing.tenant && { tenant_id: thing.tenant }) };
  return { name: error.operation as Attempt['name'], path: path as Attempt['path'], input: body };
}

const verbs = {
  CREATE: 'created',
  RECOVER: 'fetched the secret of',
  CHANGE: 'changed',
  DISABLE: 'disabled',
  KEEP: '',
  NONE: '',
} as const;
