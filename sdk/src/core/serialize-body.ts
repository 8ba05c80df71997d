import { InvalidArgumentError } from '../errors.js';

/** JSON.stringify would send NaN and Infinity as null, and a Map as {}. */
export const serializeBody = (body: object): string =>
  JSON.stringify(body, (name, value: unknown) => {
    const found = typeof value === 'number' ? String(value) : Object.prototype.toString.call(value).slice(8, -1);
    const isLost = typeof value === 'number' ? !Number.isFinite(value) : value instanceof Object && !PLAIN.test(found);
    if (isLost) throw new InvalidArgumentError(`JSON cannot represent ${name} of the body: ${found}.`);
    return value;
  });

/** Instances of a class are an `Object`, those of the language a `Map`, a `Set` and so on. */
const PLAIN = /^(Object|Array)$/;
