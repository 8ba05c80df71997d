import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { toAccessQuestion, toAuditFilters, toTenant } from '../access/filters';
import { type CommandFilters, toFilters } from '../commands/filters';
import { toRequestFilters } from '../device-requests/filters';
import { Shell } from './shell';
import { texts } from './texts';

const root = createRootRoute({ component: Shell });

const overview = createRoute({
  getParentRoute: () => root,
  staticData: { title: texts.overview.title },
  path: '/',
  component: lazyRouteComponent(() => import('../overview/overview-page'), 'OverviewPage'),
});

const commands = createRoute({
  getParentRoute: () => root,
  staticData: { title: texts.commands.title },
  path: '/commands',
  validateSearch: toFilters,
  component: lazyRouteComponent(() => import('../commands/command-list'), 'CommandList'),
});

const command = createRoute({
  getParentRoute: () => root,
  staticData: { title: texts.commands.one },
  path: '/commands/$commandId',
  component: lazyRouteComponent(() => import('../commands/command-page'), 'CommandPage'),
});

const send = createRoute({
  getParentRoute: () => root,
  staticData: { title: texts.send.title },
  path: '/send',
  component: lazyRouteComponent(() => import('../send/send-page'), 'SendPage'),
});

const fleet = createRoute({
  getParentRoute: () => root,
  staticData: { title: texts.fleet.title },
  path: '/fleet/$batchId',
  component: lazyRouteComponent(() => import('../fleet/fleet-page'), 'FleetPage'),
});

const events = createRoute({
  getParentRoute: () => root,
  staticData: { title: texts.events.title },
  path: '/events',
  component: lazyRouteComponent(() => import('../events/events-page'), 'EventsPage'),
});

const requests = createRoute({
  getParentRoute: () => root,
  staticData: { title: texts.deviceRequests.title },
  path: '/device-requests',
  validateSearch: toRequestFilters,
  component: lazyRouteComponent(() => import('../device-requests/device-request-list'), 'DeviceRequestList'),
});

const request = createRoute({
  getParentRoute: () => root,
  staticData: { title: texts.deviceRequests.one },
  path: '/device-requests/$requestId',
  component: lazyRouteComponent(() => import('../device-requests/device-request-page'), 'DeviceRequestPage'),
});

const parked = createRoute({
  getParentRoute: () => root,
  staticData: { title: texts.parked.title },
  path: '/parked-messages',
  validateSearch: toTenant,
  component: lazyRouteComponent(() => import('../parked/parked-list'), 'ParkedList'),
});

const parkedMessage = createRoute({
  getParentRoute: () => root,
  staticData: { title: texts.parked.one },
  path: '/parked-messages/$messageId',
  validateSearch: toTenant,
  component: lazyRouteComponent(() => import('../parked/parked-page'), 'ParkedPage'),
});

const access = createRoute({
  getParentRoute: () => root,
  staticData: { title: texts.access.title },
  path: '/access',
  validateSearch: toAccessQuestion,
  component: lazyRouteComponent(() => import('../access/access-page'), 'AccessPage'),
});

const audit = createRoute({
  getParentRoute: () => root,
  staticData: { title: texts.audit.title },
  path: '/audit',
  validateSearch: toAuditFilters,
  component: lazyRouteComponent(() => import('../access/audit-page'), 'AuditPage'),
});

/**
 * After the `#`: the platform serves one page whatever its path prefix, and no proxy logs what the reader filters by.
 * A list in an address is joined by commas.
 */
export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    commands,
    command,
    send,
    fleet,
    events,
    requests,
    request,
    parked,
    parkedMessage,
    access,
    audit,
  ]),
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
  interface HistoryState {
    /** Of the list from which the reader came to a command. */
    filters?: CommandFilters;
  }
  interface StaticDataRouteOption {
    /** Of the document. */
    title?: string;
  }
}
