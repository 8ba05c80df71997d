import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isApiError } from '@tenant-open-platform/sdk';

let onRefusal = () => {};

/** Called when the platform refuses the credential itself. */
export const whenRefused = (end: () => void) => {
  onRefusal = end;
};

const onError = (error: unknown) => {
  if (isApiError(error, 'UNAUTHENTICATED')) onRefusal();
};

/** It reads nothing by itself: the client retries, and `useFollow` says when something has changed. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

export const forgetEverything = () => queryClient.clear();
