import { InvalidArgumentError } from 'commander';

/** The range is the platform's to check; this only keeps `5m` from being read as 5, and every digit exact. */
export function integer(text: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw new InvalidArgumentError('It must be an integer in decimal digits.');
  return Number(text);
}

export function positiveInteger(text: string): number {
  const value = integer(text);
  if (value === 0) throw new InvalidArgumentError('It must be at least 1.');
  return value;
}

/** `never` is null on the wire. Not a parser of Commander, which turns null into the empty string. */
export function instantOrNull(flag: string | undefined): string | null | undefined {
  return flag === 'never' ? null : flag;
}

/** `clientId` → `--client-id` */
export function flagName(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
