export { atEnd, databaseFolder, temporaryFolder } from './at-end.js';
export { clockAhead } from './clock-ahead.js';
export { nextMillisecond } from './next-millisecond.js';
export { type Platform, platform, usePlatform } from './platform.js';
export type { Profile } from './profile.js';
export { rawRequest, rawRequests } from './raw-request.js';
export { type Answer, type RequestOptions, sign, signedRequest } from './signed-request.js';
export { newKeyring, startNode, type TestNode, unlimited } from './start-node.js';
export { createCallerOfEverything, createCredential, createTenant, type TestTenant } from './tenant.js';
