/** As `%.17g` of printf writes a double: so many digits name each double. */
const MAX_DIGITS = 17;

/**
 * Returns why a JSON number is not the double that its reader takes; null if it is. A fraction of at most 17 significant
 * digits is the double that it names, and -0 is 0. An integer must be exact.
 */
export function precisionProblem(text: string): string | null {
  const value = Number(text);
  const isUnsafe = isUnsafeInteger(text, value);
  if (String(value) === text && !isUnsafe) return null;
  const digits = significantDigits(text);
  if (value === 0 && digits > 0) return 'the number is too small for a double';
  if (!Number.isFinite(value)) return 'the number is too large for a double';
  if (isUnsafe) return 'an integer must be within ±9007199254740991';
  return digits > MAX_DIGITS ? `the number has more than ${MAX_DIGITS} significant digits` : null;
}

/** From 1e21 on a double is printed with an exponent, which no reader takes for an integer. Without one it is an integer. */
function isUnsafeInteger(text: string, value: number): boolean {
  const isDouble = Math.abs(value) >= 1e21 && /e/i.test(text);
  return Number.isInteger(value) && !Number.isSafeInteger(value) && !isDouble;
}

/** How many digits are left without zeros at the beginning and at the end; 0 for a zero. */
function significantDigits(text: string): number {
  const [mantissa = ''] = text.toLowerCase().split('e');
  const digits = mantissa.replace(/[-.]/g, '').replace(/^0+/, '');
  // A regular expression for the trailing zeros would take quadratic time.
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return end;
}
