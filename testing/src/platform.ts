import { inject } from 'vitest';
import { atEnd } from './at-end.js';
import type { Profile } from './profile.js';

export type Platform = {
  /** Base URL of every server: one in the project `local`, two on the same database and bus in `full`. */
  nodes: string[];
  /** A platform_admin of the tenant `platform`. */
  admin: Profile;
  /** An integration_operator of the tenant `demo`. */
  demo: Profile;
  /** Null on the embedded database. */
  databaseUrl: string | null;
  /** Null for the in-process bus. */
  natsUrl: string | null;
};

declare module 'vitest' {
  export interface ProvidedContext {
    platform: Platform;
  }
}

let own: Platform | undefined;

/** From now on a test file uses servers of its own. The next file of its process gets the shared ones. See `atEnd`. */
export function usePlatform(platform: Platform): void {
  own = platform;
  atEnd(() => {
    own = undefined;
  });
}

/** The servers of this run, shared by all test files. */
export const platform = (): Platform => own ?? inject('platform');
