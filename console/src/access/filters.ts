/** What an address says; the platform judges the values. */
const textOf = (value: unknown) => (typeof value === 'string' && value ? value : undefined);

const take =
  <Name extends string>(names: readonly Name[]) =>
  (search: Record<string, unknown>) =>
    Object.fromEntries(names.flatMap((name) => (textOf(search[name]) ? [[name, textOf(search[name])]] : []))) as {
      [name in Name]?: string;
    };

export const toTenant = take(['tenant']);
export const toAccessQuestion = take(['tenant', 'client_id', 'operation']);
export const auditFields = ['client_id', 'operation', 'target', 'source_address'] as const;
export const auditTimes = ['occurred_after', 'occurred_before'] as const;
export const toAuditFilters = take(['tenant', ...auditFields, ...auditTimes]);
