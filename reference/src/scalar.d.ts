/** The part of Scalar's build for browsers that the page uses. Its own types need packages that are not installed. */
declare module '*/scalar/standalone.esm.js' {
  export function createApiReference(element: string, configuration: Record<string, unknown>): unknown;
}
