import { isApiError, isConnectionError, TenantOpenPlatformError } from '@tenant-open-platform/sdk';
import { texts } from '../app/texts';
import { baseUrl, useSessionState } from '../session/session';

type Props = { error: unknown; onAgain?: (() => void) | undefined };

/** What happened, what to do, and the request id. */
export function Problem({ error, onAgain }: Props) {
  const { title, fix } = useExplanation(error);
  const { requestId, docUrl } = error instanceof TenantOpenPlatformError ? error : {};
  return (
    <div className="problem" role="alert">
      <p>
        <strong>{title}</strong>
      </p>
      {fix && <p>{fix}</p>}
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
    </div>
  );
}

function useExplanation(error: unknown): { title: string; fix?: string } {
  const { lastClientId } = useSessionState();
  if (isApiError(error, 'FORBIDDEN')) {
    const { required_scope: scope = '' } = error.metadata;
    return {
      title: texts.problem.forbidden(scope, lastClientId),
      fix: texts.problem.forbiddenFix(scope, lastClientId),
    };
  }
  if (isApiError(error, 'UNAUTHENTICATED')) return { title: texts.problem.refused, fix: texts.problem.refusedFix };
  if (isConnectionError(error)) return { title: texts.problem.unreachable, fix: texts.problem.unreachableFix };
  return { title: error instanceof Error ? error.message : String(error) };
}
