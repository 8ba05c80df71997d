import { isApiError, isConnectionError, TenantOpenPlatformError } from '@tenant-open-platform/sdk';
import type { ReactNode } from 'react';
import { texts } from '../app/texts';
import { baseUrl, useSessionState } from '../session/session';

type Props = { error: unknown; onAgain?: (() => void) | undefined };

/** What happened, what to do, and the request id. */
export function Problem({ error, onAgain }: Props) {
  const { title, fix, command } = useExplanation(error);
  const { requestId, docUrl } = error instanceof TenantOpenPlatformError ? error : {};
  return (
    <Said title={title} fix={fix} command={command}>
      <p className="actions">
        {onAgain && (
          <button type="button" onClick={onAgain}>
            {texts.problem.again}
          </button>
        )}
        {docUrl?.startsWith(`${baseUrl}/`) && <a href={docUrl}>{texts.problem.explain}</a>}
        {requestId && (
          <small>
            {texts.problem.requestId} <code>{requestId}</code>
          </small>
        )}
      </p>
    </Said>
  );
}

/** A page that the credential may read, and not use. */
export const Lacking = ({ scope }: { scope: string }) => <Said {...useLack(scope)} />;

type Explanation = { title: string; fix?: string | undefined; command?: string | undefined };

const Said = ({ title, fix, command, children }: Explanation & { children?: ReactNode }) => (
  <div className="problem" role="alert">
    <p>
      <strong>{title}</strong>
    </p>
    {fix && <p>{fix}</p>}
    {command && (
      <p>
        <code>{command}</code>
      </p>
    )}
    {children}
  </div>
);

function useLack(scope: string): Explanation {
  const { lastClientId } = useSessionState();
  return {
    title: texts.problem.forbidden(scope, lastClientId),
    fix: texts.problem.forbiddenFix,
    command: texts.problem.grant(scope, lastClientId),
  };
}

function useExplanation(error: unknown): Explanation {
  const { session } = useSessionState();
  const isForbidden = isApiError(error, 'FORBIDDEN');
  const lack = useLack(isForbidden ? (error.metadata.required_scope ?? '') : '');
  if (isForbidden && session?.me.scopes.some((scope) => scope === error.metadata.required_scope)) {
    return { title: texts.problem.otherTenant(session.me.client_id, session.me.tenant_id) };
  }
  if (isForbidden) return lack;
  if (isApiError(error, 'UNAUTHENTICATED')) return { title: texts.problem.refused, fix: texts.problem.refusedFix };
  if (isConnectionError(error)) return { title: texts.problem.unreachable, fix: texts.problem.unreachableFix };
  return { title: error instanceof Error ? error.message : String(error) };
}
