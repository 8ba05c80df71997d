// Preloaded by a process whose clock is CLOCK_AHEAD_MS ahead: see clock-ahead.ts.

const Right = Date;
const now = () => Right.now() + Number(process.env.CLOCK_AHEAD_MS);
globalThis.Date = new Proxy(Right, {
  construct: (_, given) => (given.length > 0 ? Reflect.construct(Right, given) : new Right(now())),
  get: (_, name) => (name === 'now' ? now : Reflect.get(Right, name)),
});
