const statuses = ['PENDING', 'REPLIED', 'EXPIRED'] as const;
export const choices = ['ALL', ...statuses] as const;

/** Absent: the requests that wait for a reply. */
export function toRequestFilters(search: Record<string, unknown>): { status?: (typeof choices)[number] } {
  const status = choices.find((one) => one === search.status);
  return status ? { status } : {};
}
