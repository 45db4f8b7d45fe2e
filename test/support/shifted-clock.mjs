// Preloaded into a process (NODE_OPTIONS=--import=…/shifted-clock.mjs?ms=300000): its clock is off by
// this many milliseconds, ahead or, when negative, behind. Timers keep their pace.
const offset = Number(new URL(import.meta.url).searchParams.get('ms'));
if (!Number.isInteger(offset) || offset === 0) throw new Error('shifted-clock.mjs needs ?ms=…');

const RealDate = Date;
const now = () => RealDate.now() + offset;

globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, parameters, newTarget) =>
    Reflect.construct(target, parameters.length === 0 ? [now()] : parameters, newTarget),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});
