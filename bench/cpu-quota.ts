import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PERIOD_US = 10_000;
const CGROUP = '/sys/fs/cgroup';

/**
 * Lets each process use at most this share of a core, by a control group of its own. Needs root and Linux: cgroup v2, or
 * the `cpu` controller of v1.
 */
export function limitCpu(pids: readonly number[], share: number) {
  const isV2 = existsSync(join(CGROUP, 'cgroup.controllers'));
  const quotaUs = String(share * PERIOD_US);
  const groups = pids.map((pid) => {
    const group = join(CGROUP, isV2 ? '' : 'cpu', `bench-${pid}`);
    mkdirSync(group);
    const settings = isV2
      ? { 'cpu.max': `${quotaUs} ${PERIOD_US}` }
      : { 'cpu.cfs_period_us': String(PERIOD_US), 'cpu.cfs_quota_us': quotaUs };
    for (const [name, value] of Object.entries({ ...settings, 'cgroup.procs': String(pid) })) {
      writeFileSync(join(group, name), value);
    }
    return group;
  });
  /** Call it when the processes have ended. */
  return {
    remove() {
      for (const group of groups) rmdirSync(group);
    },
  };
}
