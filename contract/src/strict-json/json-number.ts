/** Returns why a JSON number would change if it is parsed to a double and printed again; null if it would not. */
export function precisionProblem(text: string): string | null {
  const value = Number(text);
  const isUnsafe = isUnsafeInteger(value);
  if (String(value) === text && !isUnsafe) return null;
  const exact = normalize(text);
  if (Object.is(value, -0) && exact === '0') return 'a negative zero loses its sign';
  if (value === 0 && exact !== '0') return 'the number is too small for a double';
  if (!Number.isFinite(value)) return 'the number is too large for a double';
  if (isUnsafe) return 'an integer must be within ±9007199254740991';
  return exact === normalize(String(value)) ? null : 'the number has more digits than a double keeps';
}

/** From 1e21 on a double is printed with an exponent, which no reader takes for an integer. */
function isUnsafeInteger(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21;
}

/** The absolute value in one notation: significant digits and a power of ten, such as `314e-2` for 3.140. */
function normalize(text: string): string {
  const [mantissa = '', exponent = '0'] = text.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return '0';
  // A regular expression for the trailing zeros would take quadratic time.
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return `${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
