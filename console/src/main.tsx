import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient, whenRefused } from './app/query-client';
import { router } from './app/router';
import { endSession } from './session/session';
import './style.css';
import './ui/filters.css';

whenRefused(() => endSession('REFUSED'));

createRoot(document.getElementById('console') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
