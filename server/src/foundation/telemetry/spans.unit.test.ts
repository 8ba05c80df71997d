import { SpanKind } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { startSpan, traceIdOf, traceparentOf } from './spans.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const VALID = `00-${TRACE}-${SPAN}-01`;

const passedOn = (header: unknown) => traceparentOf(startSpan('request', SpanKind.SERVER, header));

test('without an SDK a valid traceparent is passed on as it is', () => {
  expect(passedOn(VALID)).toBe(VALID);
  expect(passedOn(`00-${TRACE}-${SPAN}-00`)).toBe(`00-${TRACE}-${SPAN}-00`);
  expect(traceIdOf(passedOn(VALID))).toBe(TRACE);
  expect(traceIdOf(undefined)).toBe(undefined);
});

test('a later version is read as version 00, without its further fields and flags', () => {
  expect(passedOn(`01-${TRACE}-${SPAN}-ff-what-comes-later`)).toBe(`00-${TRACE}-${SPAN}-03`);
  expect(passedOn(`cc-${TRACE}-${SPAN}-01`)).toBe(VALID);
});

test.each([
  undefined,
  '',
  ['an array'],
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-1`,
  `00-${TRACE}-${SPAN}-01-more`,
  `01-${TRACE}-${SPAN}-01more`,
  `00-${TRACE}0-${SPAN}-01`,
  `0-${TRACE}-${SPAN}-01`,
  ` ${VALID}`,
  `${VALID}\n`,
  // Node joins a repeated header.
  `${VALID}, ${VALID}`,
])('%j is ignored', (header) => {
  expect(passedOn(header)).toBe(undefined);
});
