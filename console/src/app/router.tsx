import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { toFilters } from '../commands/filters';
import { Shell } from './shell';

const root = createRootRoute({ component: Shell });

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/commands' });
  },
});

const commands = createRoute({
  getParentRoute: () => root,
  path: '/commands',
  validateSearch: toFilters,
  component: lazyRouteComponent(() => import('../commands/command-list'), 'CommandList'),
});

const command = createRoute({
  getParentRoute: () => root,
  path: '/commands/$commandId',
  component: lazyRouteComponent(() => import('../commands/command-page'), 'CommandPage'),
});

const send = createRoute({
  getParentRoute: () => root,
  path: '/send',
  component: lazyRouteComponent(() => import('../send/send-page'), 'SendPage'),
});

const fleet = createRoute({
  getParentRoute: () => root,
  path: '/fleet/$batchId',
  component: lazyRouteComponent(() => import('../fleet/fleet-page'), 'FleetPage'),
});

/**
 * After the `#`: the platform serves one page whatever its path prefix, and no proxy logs what the reader filters by.
 * A list in an address is joined by commas.
 */
export const router = createRouter({
  routeTree: root.addChildren([start, commands, command, send, fleet]),
  history: createHashHistory(),
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return text && `?${text}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
