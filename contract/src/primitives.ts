import { z } from 'zod';
import { MAX_PAGE, MAX_ROWS_READ } from './facts.js';
import { printable } from './printable.js';
import { headerPatterns } from './signature/index.js';
import { validationMessage } from './validation-message.js';

z.config({ customError: validationMessage });

/** Alphabets of identifiers. Every id fits the path grammar of the signature, so no client percent-encodes a path. */
export const patterns = {
  enumValue: /^[A-Z][A-Z0-9_]*$/,
  requestId: headerPatterns.requestId,
  tenantId: /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/,
  clientId: headerPatterns.clientId,
  vendor: /^[a-z0-9][a-z0-9_-]{0,62}$/,
  role: /^[a-z0-9][a-z0-9_-]{0,62}$/,
  commandType: /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/,
  idempotencyKey: /^[\x21-\x7E]{1,128}$/,
  /** RFC 3339 with seconds and an explicit offset. */
  timestamp:
    /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$/,
} as const;

export const RequestId = z
  .string()
  .meta({ pattern: patterns.requestId.source })
  .describe('Correlation id of the request, as in the header X-Request-Id. Quote it when you report a problem.');

export const TenantId = z
  .string()
  .regex(patterns.tenantId, 'must be 1 to 63 of the characters A-Z a-z 0-9 _ -, and not begin with _ or -')
  .describe('Id of the tenant.');

export const ClientId = z
  .string()
  .regex(patterns.clientId, 'must be 1 to 64 of the characters A-Z a-z 0-9 . _ ~ -, and not begin with . ~ or -')
  .describe(
    'Id of the credential, unique on the whole platform, also without regard to case. Every request that the credential signs has this id in the header X-Api-Id.',
  );

export const Vendor = z
  .string()
  .regex(patterns.vendor, 'must be 1 to 63 of the characters a-z 0-9 _ -, and not begin with _ or -')
  .describe('Vendor in the platform catalog, for example `vendor_a`.');

/** A limit to some vendors; null stands for all. */
export const Vendors = z
  .array(Vendor)
  .min(1)
  .max(100)
  .refine((vendors) => new Set(vendors).size === vendors.length, 'must name each vendor once');

export const CommandType = z
  .string()
  .regex(patterns.commandType, 'must be 1 to 128 of the characters A-Z a-z 0-9 . _ -, and not begin with . or -')
  .describe('Command type of the vendor, for example `reboot`.');

export const DeviceId = printable(128).describe(
  'Id that the vendor uses for the device: 1 to 128 printable characters.',
);

/** A quota of requests; null stands for the platform's own. */
export const RequestsPerMinute = z.int().min(1).max(1_000_000_000).nullable();

/** A display name. */
export const Name = printable(128).describe('Display name: 1 to 128 printable characters.');

/** An instant in an answer: RFC 3339, UTC, milliseconds. */
export const Timestamp = z.iso.datetime({ precision: 3 });

/** 9999-12-31T23:59:59.999Z, in Unix milliseconds. */
export const MAX_INSTANT = 253_402_300_799_999;

/** An instant in a request: RFC 3339 with seconds and `Z` or an offset. */
export const InputTimestamp = z
  .string()
  .regex(patterns.timestamp, {
    error: 'must be RFC 3339 with seconds and Z or an offset, such as 2026-01-31T09:30:00Z',
    abort: true,
  })
  .refine((text) => isCalendarDate(text), 'is not a valid date')
  .refine((text) => isStorable(Date.parse(text)), 'must be from 1970-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z')
  .meta({ format: 'date-time' });

/** Date.parse reads 2026-02-30 as 2 March: a silent change of the caller's date. */
function isCalendarDate(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/**
 * In UTC: with an offset, the year of a text from 9999 or 0001 may need more or fewer than the four digits of RFC 3339.
 */
const isStorable = (milliseconds: number) => milliseconds >= 0 && milliseconds <= MAX_INSTANT;

/** An integer in a query: decimal digits, no sign, no leading zero. */
const queryInteger = (bounds: { min: number; max: number; default: number }) =>
  z
    .string()
    .regex(/^(0|[1-9][0-9]{0,8})$/, 'must be an integer in decimal digits')
    .transform(Number)
    .pipe(z.number().min(bounds.min).max(bounds.max))
    .prefault(String(bounds.default))
    .meta({ type: 'integer', minimum: bounds.min, maximum: bounds.max, default: bounds.default });

/** True or false in a query. */
export const QueryBoolean = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .meta({ type: 'boolean', enum: undefined });

/** One or several values of an enum in a query, joined by commas. */
export const queryList = <Values extends Record<string, string>>(values: z.ZodEnum<Values>) =>
  z
    .string()
    .transform((text) => text.split(','))
    .refine((given) => given.every((value) => values.safeParse(value).success), {
      error: `must be one or more of ${values.options.join(', ')}, joined by commas`,
      abort: true,
    })
    .refine((given) => new Set(given).size === given.length, 'must name each value once')
    .pipe(z.array(values))
    .meta({
      type: 'array',
      items: { $ref: `#/components/schemas/${values.meta()?.id}` },
      minItems: 1,
      uniqueItems: true,
    });

/** Query parameters of every list, to be spread into its strict query object. */
export const pageQuery = {
  limit: queryInteger({ min: 1, max: MAX_PAGE, default: 100 }).describe(
    `Maximum number of items in the page: 1 to ${MAX_PAGE}, 100 by default. A page can have fewer items, even if more follow: it ends after about 1 MiB of data, or after the platform has read ${MAX_ROWS_READ.toLocaleString('en')} items that do not match the filters.`,
  ),
  cursor: z
    .string()
    .max(1024)
    .optional()
    .describe('`next_cursor` of the previous page. Send the same filters with it. The cursor is opaque.'),
};

/** In a list that can be followed: where to continue. */
export const followingCursor = pageQuery.cursor.describe(
  '`next_cursor` of a page or `cursor` of an item. Send the same filters with it. The cursor is opaque and does not expire.',
);

/**
 * A caller's or device's JSON object in an answer: a payload, a result, a schema. It was validated on arrival, and
 * walking through it again would take longer than the rest of the answer. Its description is the one of any object.
 */
export const OpaqueObject = z
  .unknown()
  .refine((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: ({ input }) => (input === undefined ? 'is required' : 'must be an object'),
  })
  .meta({ type: 'object', additionalProperties: {} }) as unknown as z.ZodType<JsonObject, JsonObject>;

type JsonObject = Record<string, unknown>;

/** In a list that can be followed: the cursor after this item. */
export const ItemCursor = z
  .string()
  .describe(
    'Position of this item in the list. To continue after the item, send it as `cursor` with the same filters. The cursor is opaque and does not expire.',
  );

/** How many seconds a request may wait for a change. */
export const WaitSeconds = queryInteger({ min: 0, max: 30, default: 0 }).describe(
  'Long polling: maximum waiting time in seconds, 0 to 30. By default 0: the platform responds immediately.',
);

const EXAMPLE_REQUEST_ID = '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d';

/** A page of a list. Its example contains the example of an item. */
export const page = <Item extends z.ZodType>(id: string, item: Item, order = 'newest first') => {
  const example = item.meta()?.example as { request_id?: string };
  return z
    .object({
      items: z
        .array(item)
        .describe(
          `At most \`limit\` items, ${order}. A page can be shorter than \`limit\`, or empty, even if more items follow. Check \`next_cursor\`.`,
        ),
      next_cursor: z.string().nullable().describe('Send as `cursor` to get the next page. null only on the last page.'),
      request_id: RequestId,
    })
    .meta({
      id,
      example: { items: [example], next_cursor: null, request_id: example.request_id ?? EXAMPLE_REQUEST_ID },
    });
};
