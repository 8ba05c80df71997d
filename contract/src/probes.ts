/** The answer of `/readyz`. `reason`: why the process cannot serve; null if it can. */
export function readinessOf(reason: string | null) {
  return reason === null ? ({ status: 'ready' } as const) : ({ status: 'unready', reason } as const);
}

export type Readiness = ReturnType<typeof readinessOf>;
