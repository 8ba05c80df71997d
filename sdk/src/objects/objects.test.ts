import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, openAsBlob } from 'node:fs';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { answer, credential, fakeClient, networkFailure, refusal, type Step, silence } from '../../test/fake-fetch.js';
import {
  type DownloadedObject,
  isObjectStoreError,
  ObjectStoreError,
  type TransferProgress,
  type UploadContent,
} from '../index.js';

const signature = 'f28b9007f866c900484b0a6f0ee87497aa3958adf57670f7d57058ecdafbdc71';
const resource = '019bd3a4-5c4e-7a55-9e84-ad4e5f607182';
const key = 'pump-7/2.4.1.bin';
const bytes = new TextEncoder().encode('firmware');
const checksum = createHash('sha256').update(bytes).digest('base64');
const binary = { contentType: 'application/octet-stream' };

/** The answer of presign for a request to the store. */
const grant = (method: 'PUT' | 'GET', headers: Record<string, string> = {}, store = 'https://store.test') => ({
  presign_id: 'p1',
  method,
  url: `${store}/bucket/${key}?X-Amz-Credential=AKIDSIGNER&X-Amz-Security-Token=SESSIONTOKEN&X-Amz-Signature=${signature}`,
  headers,
  object_key: key,
  request_id: 'r1',
});

const toUpload = () => answer(200, grant('PUT', { 'Content-Type': binary.contentType, 'Content-Length': '8' }));
const toDownload = () => answer(200, grant('GET'));
const stored = () => new Response(null, { headers: { ETag: '"e1"' } });
const denied = (status: number, code: string) => new Response(`<Error><Code>${code}</Code></Error>`, { status });

const textOf = (content: unknown) => new Response(content as Blob).text();

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe('upload', () => {
  test.each<[string, UploadContent]>([
    ['a string', 'firmware'],
    ['an ArrayBuffer', bytes.buffer],
    ['a view of a larger buffer', Buffer.from('old firmware').subarray(4)],
    ['a Blob', new Blob([bytes])],
  ])('presigns type, size and SHA-256 of %s and sends the store exactly the signed request', async (_, content) => {
    const { client, fetch } = fakeClient([toUpload(), stored()]);
    const uploaded = await client.objects.upload(resource, key, content, binary);
    const described = { resource_id: resource, object_key: key, content_type: binary.contentType, content_length: 8 };
    const [presign, put] = fetch.sent;
    expect(presign?.body).toEqual({ operation: 'UPLOAD', ...described, checksum_sha256: checksum });
    expect(put).toMatchObject({ method: 'PUT', url: grant('PUT').url });
    expect(put?.headers).toEqual({ 'Content-Type': binary.contentType, 'Content-Length': '8' });
    expect(await textOf(put?.body)).toBe('firmware');
    expect(uploaded).toEqual({
      ...described,
      checksum_sha256: checksum,
      etag: '"e1"',
      presign_id: 'p1',
      request_id: 'r1',
    });
  });

  test('uses the type of a Blob if none is given', async () => {
    const { client, fetch } = fakeClient([toUpload(), stored()]);
    await client.objects.upload(resource, key, new Blob([bytes], { type: 'image/png' }));
    expect(fetch.sent[0]?.body).toMatchObject({ content_type: 'image/png' });
  });

  test.each<[string, UploadContent, object, string]>([
    ['bytes of no type', bytes, {}, 'contentType is required'],
    ['a Blob of no type', new Blob([bytes]), {}, 'contentType is required'],
    ['a stream of no size', new Blob([bytes]).stream(), binary, 'contentLength is required'],
    ["a stream of Node's of no size", Readable.from([bytes]), binary, 'contentLength is required'],
    ['a number', 5 as unknown as Blob, binary, 'a ReadableStream or an AsyncIterable'],
    ['nothing', undefined as unknown as Blob, binary, 'must be a string'],
  ])('of %s presigns and sends nothing', async (_, content, options, message) => {
    const { client, fetch } = fakeClient([]);
    await expect(client.objects.upload(resource, key, content, options)).rejects.toMatchObject({
      name: 'InvalidArgumentError',
      message: expect.stringContaining(message),
    });
    expect(fetch.sent).toEqual([]);
  });

  test.each<[string, UploadContent, object, string | null]>([
    ['false', bytes, { checksumSha256: false }, null],
    ['one that is given', bytes, { checksumSha256: 'given' }, 'given'],
    ["none for a stream of Node's", Readable.from([bytes]), { contentLength: 8 }, null],
    ['none for a stream', new Blob([bytes]).stream(), { contentLength: 8 }, null],
    ['one given for a stream', new Blob([bytes]).stream(), { contentLength: 8, checksumSha256: 'given' }, 'given'],
    ['none above 64 MiB', new Blob([new Uint8Array(64 * 1024 ** 2 + 1)]), {}, null],
  ])('checksum: %s', async (_, content, options, expected) => {
    const { client, fetch } = fakeClient([toUpload(), stored()]);
    const uploaded = await client.objects.upload(resource, key, content, { ...binary, ...options });
    expect(uploaded.checksum_sha256).toBe(expected);
    const presigned = fetch.sent[0]?.body as Record<string, unknown> | undefined;
    expect(presigned?.checksum_sha256).toBe(expected ?? undefined);
  });
});

test('a fetch that reads a Blob again gets the whole Blob again', async () => {
  const content = new Uint8Array(1_200_000).map((_, index) => index % 251);
  let again: Uint8Array | undefined;
  const readingTwice: Step = async ({ body }) => {
    const blob = body as Blob;
    await blob.stream().getReader().read();
    again = new Uint8Array(await new Response(blob.stream()).arrayBuffer());
    return stored();
  };
  const { client } = fakeClient([toUpload(), readingTwice]);
  const seen: number[] = [];
  const onProgress = ({ transferredBytes }: TransferProgress) => void seen.push(transferredBytes);
  await client.objects.upload(resource, key, content, { ...binary, onProgress });
  expect(Buffer.from(again ?? []).equals(content)).toBe(true);
  expect(seen).toEqual([524_288, 1_048_576, 1_200_000]);
});

const passing: [string, () => Step][] = [
  ['503', () => denied(503, 'SlowDown')],
  ["S3's timeout of a connection", () => denied(400, 'RequestTimeout')],
  ['500', () => denied(500, 'InternalError')],
  ['a lost connection', () => networkFailure('ECONNRESET')],
];

describe('a failure of the store', () => {
  test.each(passing)('that is %s: both transfers are retried, with a new presigned URL', async (_, failure) => {
    const up = fakeClient([toUpload(), failure(), toUpload(), stored()]);
    await up.client.objects.upload(resource, key, bytes, binary);
    expect(await textOf(up.fetch.sent[3]?.body)).toBe('firmware');
    const down = fakeClient([toDownload(), failure(), toDownload(), new Response('firmware')]);
    expect(await (await down.client.objects.download(resource, key)).text()).toBe('firmware');
  });

  test.each(
    passing.flatMap(([name, failure]): [string, string, () => Step, () => UploadContent][] => [
      [name, 'a stream', failure, () => new Blob([bytes]).stream()],
      [name, "a stream of Node's", failure, () => Readable.from([bytes])],
    ]),
  )('that is %s: %s is sent once', async (_, __, failure, content) => {
    const { client, fetch } = fakeClient([toUpload(), failure()]);
    const options = { ...binary, contentLength: 8 };
    await expect(client.objects.upload(resource, key, content(), options)).rejects.toThrow();
    expect(fetch.sent).toHaveLength(2);
  });

  test.each<[string, Step[], string]>([
    ['the presign is refused', [refusal(403, 'OBJECT_POLICY_DENIED')], 'objects.presign'],
    ['the platform is not reached', [networkFailure('ECONNREFUSED', 'connect')], 'objects.presign'],
    ['the store is not reached', [toUpload(), networkFailure('ECONNREFUSED', 'connect')], 'objects.upload'],
  ])('that leaves a stream unread cancels it: %s', async (_, steps, operation) => {
    const canceled = vi.fn();
    const readable = new Readable({ read() {} });
    for (const content of [new ReadableStream({ cancel: canceled }), readable]) {
      const { client } = fakeClient(
        steps.map((step) => (step instanceof Response ? step.clone() : step)),
        { maxRetries: 0 },
      );
      const failure = await client.objects
        .upload(resource, key, content, { ...binary, contentLength: 8 })
        .catch((error) => error);
      expect(failure).toHaveProperty('operation', operation);
      if (content !== readable) expect(canceled).toHaveBeenCalledExactlyOnceWith(failure);
    }
    expect(readable.destroyed).toBe(true);
  });

  test('of the platform that is temporary: the presign for a stream is retried', async () => {
    const { client } = fakeClient([refusal(503, 'SERVICE_UNAVAILABLE'), toUpload(), stored()]);
    const options = { ...binary, contentLength: 8 };
    expect(await client.objects.upload(resource, key, new Blob([bytes]).stream(), options)).toMatchObject({
      etag: '"e1"',
    });
  });

  test('is retried up to maxRetries times, and a refusal never', async () => {
    const failing = (status: number, options = {}) =>
      fakeClient([toDownload(), denied(status, 'X'), toDownload(), denied(status, 'X')], options);
    const once = failing(503, { maxRetries: 0 });
    await expect(once.client.objects.download(resource, key)).rejects.toMatchObject({ attempts: 1 });
    const busy = failing(503);
    const outcome = busy.client.objects.download(resource, key, { maxRetries: 1 });
    await expect(outcome).rejects.toMatchObject({ status: 503, retryable: true, attempts: 2 });
    const refused = failing(403);
    await expect(refused.client.objects.download(resource, key)).rejects.toMatchObject({
      retryable: false,
      attempts: 1,
    });
  });

  test('is an ObjectStoreError with the code and message of the store, also for another copy of the package', async () => {
    const xml = '<Error><Code>NoSuchKey</Code><Message>The key does not exist.</Message></Error>';
    const { client } = fakeClient([toDownload(), new Response(xml, { status: 404 })]);
    const error = await client.objects.download(resource, key).catch((error) => error);
    expect(error).toBeInstanceOf(ObjectStoreError);
    expect(error).toMatchObject({
      message: 'The store answered 404 NoSuchKey The key does not exist.',
      operation: 'objects.download',
      requestId: 'r1',
      status: 404,
      code: 'NoSuchKey',
    });
    const secondCopy = '../errors.js?copy';
    const copy: typeof import('../errors.js') = await import(secondCopy);
    expect(copy.ObjectStoreError).not.toBe(ObjectStoreError);
    expect(copy.isObjectStoreError(error)).toBe(true);
    expect(
      [new Error('x'), new copy.ObjectStoreError('x', { status: 500, code: null, retryable: true }), null].map(
        isObjectStoreError,
      ),
    ).toEqual([false, true, false]);
  });

  test('is a redirect if the runtime cannot refuse one itself, as in Workers', async () => {
    const { Request: Whole } = globalThis;
    vi.stubGlobal('Request', function Refusing(url: string, init: RequestInit) {
      if (init.redirect === 'error')
        throw new TypeError('Invalid redirect value, must be one of "follow" or "manual".');
      return new Whole(url, init);
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const seen: string[] = [];
    const redirect: Step = async (_, { redirect }) => {
      seen.push(redirect);
      return new Response(null, { status: 307, headers: { Location: 'https://elsewhere.test/' } });
    };
    const { client } = fakeClient([toUpload(), redirect]);
    await expect(client.objects.upload(resource, key, bytes, binary)).rejects.toMatchObject({
      name: 'ObjectStoreError',
      status: 307,
    });
    expect(seen).toEqual(['manual']);
  });

  test('that is a redirect or not XML is one too', async () => {
    const { client } = fakeClient([toDownload(), new Response('moved', { status: 307 })]);
    const error = await client.objects.download(resource, key).catch((error) => error);
    expect(error).toMatchObject({ message: 'The store answered 307', status: 307, code: null });
  });

  test('without an end is not read to its end', async () => {
    let read = 0;
    const canceled = vi.fn();
    const endless = new ReadableStream({
      pull(controller) {
        read += 10_000;
        if (read > 1_000_000) controller.error(new Error('read on'));
        else controller.enqueue(new TextEncoder().encode('<Code>NoSuchKey</Code>'.padEnd(10_000)));
      },
      cancel: canceled,
    });
    const { client } = fakeClient([toDownload(), new Response(endless, { status: 404 })]);
    await expect(client.objects.download(resource, key)).rejects.toMatchObject({ code: 'NoSuchKey' });
    expect(canceled).toHaveBeenCalledOnce();
    expect(read).toBeLessThan(100_000);
  });

  const expired = (url: string) =>
    new Response(`<Error><Code>AccessDenied</Code><Message>Request ${url} has expired</Message></Error>`, {
      status: 403,
    });
  const quoting = `<Error><Code>SignatureDoesNotMatch</Code><Message>No.</Message><SignatureProvided>${signature}</SignatureProvided></Error>`;
  test.each<[string, Step]>([
    ['a store that quotes what was signed', new Response(quoting, { status: 403 })],
    ['a store that quotes the URL', expired(grant('GET').url)],
    ['a store that quotes it without its host', expired(grant('GET').url.replace('https://store.test', ''))],
    ['a store that quotes it encoded', expired(encodeURIComponent(grant('GET').url))],
    ['a store that quotes it in its code', denied(403, grant('GET').url)],
    ['a runtime that quotes a part', new TypeError(`failed: x-amz-signature=${signature}`)],
    ['a runtime that quotes the URL', new TypeError(`error sending request for url (${grant('GET').url}): refused`)],
    ['a runtime that quotes it in the cause', new TypeError('failed', { cause: new Error(`of ${grant('GET').url}`) })],
  ])('does not reveal the presigned URL: %s', async (_, step) => {
    const { client } = fakeClient([toDownload(), step]);
    const error = await client.objects.download(resource, key, { maxRetries: 0 }).catch((error) => error);
    const shown = inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error);
    expect(shown).toMatch(/The store answered 403|The transfer failed/);
    for (const hidden of [signature, 'SESSIONTOKEN', 'AKIDSIGNER']) expect(shown).not.toContain(hidden);
  });

  test('of the platform is an ApiError, and nothing is sent to the store', async () => {
    const { client, fetch } = fakeClient([refusal(403, 'OBJECT_POLICY_DENIED')]);
    const upload = client.objects.upload(resource, key, bytes, binary);
    await expect(upload).rejects.toMatchObject({ name: 'ApiError', operation: 'objects.presign' });
    expect(fetch.sent).toHaveLength(1);
  });
});

test('an abort ends a transfer with its reason: before it, while sending, while reading', async () => {
  const reason = new Error('No longer needed');
  const early = fakeClient([]);
  const signal = AbortSignal.abort(reason);
  await expect(early.client.objects.upload(resource, key, bytes, { ...binary, signal })).rejects.toBe(reason);

  const sending = new AbortController();
  const step: Step = (_, init) => {
    queueMicrotask(() => sending.abort(reason));
    return (silence as Exclude<Step, Response | Error>)(_, init);
  };
  const upload = fakeClient([toUpload(), step]).client.objects.upload(resource, key, bytes, {
    ...binary,
    signal: sending.signal,
  });
  await expect(upload).rejects.toBe(reason);

  const reading = new AbortController();
  const endless: Step = async (_, { signal }) =>
    new Response(
      new ReadableStream({ start: (it) => signal.addEventListener('abort', () => it.error(signal.reason)) }),
    );
  const { client } = fakeClient([toDownload(), endless]);
  const object = await client.objects.download(resource, key, { signal: reading.signal });
  reading.abort(reason);
  await expect(object.bytes()).rejects.toBe(reason);
});

test('a transfer that takes longer than timeoutMs is a TimeoutError', async () => {
  const { client } = fakeClient([toUpload(), silence]);
  const upload = client.objects.upload(resource, key, bytes, { ...binary, timeoutMs: 10, maxRetries: 0 });
  await expect(upload).rejects.toMatchObject({
    name: 'TimeoutError',
    message: 'The transfer took longer than 10 ms.',
    operation: 'objects.upload',
  });
});

/** A client whose presigned URLs lead to a real store. */
async function onTheWire(
  listener: (...exchange: Parameters<RequestListener>) => unknown,
  headers: Record<string, string> = {},
) {
  const server = createServer((...exchange) => void listener(...exchange)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const store = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const method = Object.keys(headers).length > 0 ? 'PUT' : 'GET';
  const presign: Step = async () => answer(200, grant(method, headers, store));
  const { client, fetch } = fakeClient([presign, (sent, init) => globalThis.fetch(sent.url, init)]);
  return { client, sent: fetch.sent };
}

describe('over the network', () => {
  const large = new Uint8Array(1_000_000).map((_, index) => index % 251);

  const reporting: [string, boolean][] = [
    ['with progress', true],
    ['without progress', false],
  ];
  test.each(
    reporting.flatMap(([how, reports]): [string, () => UploadContent, boolean][] => [
      [`bytes ${how}`, () => large, reports],
      [`a Blob ${how}`, () => new Blob([large]), reports],
      [`a stream ${how}`, () => inChunks(large), reports],
      [`a stream of Node's ${how}`, () => Readable.from(inChunks(large)), reports],
    ]),
  )('%s is sent with the signed Content-Length, not in chunks', async (_, content, reports) => {
    const received: { headers: IncomingHttpHeaders; body: Buffer }[] = [];
    const { client } = await onTheWire(
      async (request, response) => {
        received.push({ headers: request.headers, body: Buffer.concat(await request.toArray()) });
        response.setHeader('ETag', '"e1"').end();
      },
      { 'Content-Type': binary.contentType, 'Content-Length': '1000000' },
    );
    const seen: TransferProgress[] = [];
    const options = { ...binary, contentLength: 1_000_000, ...(reports && { onProgress: report(seen) }) };
    await client.objects.upload(resource, key, content(), options);
    expect(received).toHaveLength(1);
    expect(received[0]?.headers).toMatchObject({ 'content-length': '1000000', 'content-type': binary.contentType });
    expect(received[0]?.headers).not.toHaveProperty('transfer-encoding');
    expect(received[0]?.body.equals(large)).toBe(true);
    if (reports) expectProgress(seen, 1_000_000);
  });

  test('neither the secret nor a header of the platform reaches the store', async () => {
    const seen: string[] = [];
    const { client, sent } = await onTheWire(
      (request, response) => {
        seen.push(...request.rawHeaders, String(request.url));
        request.resume().on('end', () => response.end());
      },
      { 'Content-Type': binary.contentType, 'Content-Length': '8' },
    );
    await client.objects.upload(resource, key, bytes, binary);
    const everything = seen.join('\n').toLowerCase();
    const names = ['x-api-', 'x-request-id', 'authorization', 'cookie', credential.clientId, credential.secret];
    for (const hidden of [...names, sent[0]?.headers['X-Api-Nonce'] ?? '']) {
      expect(everything).not.toContain(hidden.toLowerCase());
    }
  });

  test('an empty object is sent with a Content-Length of 0', async () => {
    const received: IncomingHttpHeaders[] = [];
    const { client } = await onTheWire(
      (request, response) => {
        received.push(request.headers);
        response.end();
      },
      { 'Content-Type': 'text/plain', 'Content-Length': '0' },
    );
    expect(await client.objects.upload(resource, key, '', { contentType: 'text/plain' })).toMatchObject({
      content_length: 0,
      checksum_sha256: createHash('sha256').digest('base64'),
    });
    expect(received[0]).toMatchObject({ 'content-length': '0' });
  });

  test('a stream with another length than declared fails', async () => {
    const { client } = await onTheWire((request, response) => request.resume().on('end', () => response.end()), {
      'Content-Type': binary.contentType,
      'Content-Length': '9',
    });
    const upload = client.objects.upload(resource, key, new Blob([bytes]).stream(), { ...binary, contentLength: 9 });
    await expect(upload).rejects.toMatchObject({
      name: 'ConnectionError',
      message: 'The transfer failed: Request body length does not match content-length header.',
    });
  });

  test.each<[string, () => UploadContent | Promise<UploadContent>, object]>([
    ['a file that changed', changedFile, { name: 'NotReadableError' }],
    ['a stream that fails', () => failingStream(), { message: 'disk failure' }],
    ['a file that is not there', () => createReadStream('/nowhere/file'), { code: 'ENOENT' }],
  ])('unreadable content is reported as such, and not sent again: %s', async (_, content, failure) => {
    const { client, sent } = await onTheWire((request, response) => request.resume().on('end', () => response.end()), {
      'Content-Type': binary.contentType,
      'Content-Length': '8',
    });
    const options = { ...binary, contentLength: 8, checksumSha256: false as const };
    await expect(client.objects.upload(resource, key, await content(), options)).rejects.toMatchObject(failure);
    expect(sent).toHaveLength(2);
  });

  test.each<[string, (object: DownloadedObject) => Promise<Uint8Array>]>([
    ['bytes()', (object) => object.bytes()],
    ['blob()', async (object) => new Uint8Array(await (await object.blob()).arrayBuffer())],
    ['body', async (object) => Buffer.concat(await Readable.fromWeb(object.body).toArray())],
  ])('a download arrives as %s, with the headers of the store and its progress', async (_, read) => {
    const { client } = await onTheWire((_, response) => {
      response.writeHead(200, { 'Content-Type': 'image/png', 'Content-Length': large.length, ETag: '"e1"' }).end(large);
    });
    const seen: TransferProgress[] = [];
    const object = await client.objects.download(resource, key, { onProgress: report(seen) });
    expect(object).toMatchObject({
      content_type: 'image/png',
      content_encoding: null,
      content_length: 1_000_000,
      etag: '"e1"',
      object_key: key,
    });
    expect(Buffer.from(await read(object)).equals(large)).toBe(true);
    expectProgress(seen, 1_000_000);
  });

  test('content that fetch decodes has no known size, and is counted decoded', async () => {
    const { client } = await onTheWire((_, response) => {
      const encoded = gzipSync('a'.repeat(10_000));
      response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': encoded.length }).end(encoded);
    });
    const seen: TransferProgress[] = [];
    const object = await client.objects.download(resource, key, { onProgress: report(seen) });
    expect(await object.text()).toBe('a'.repeat(10_000));
    expect(object).toMatchObject({ content_length: null, content_encoding: 'gzip' });
    expect(seen.at(-1)).toEqual({ transferredBytes: 10_000, totalBytes: null });
  });

  test('a download that breaks off fails, and never looks complete', async () => {
    const { client } = await onTheWire((_, response) => {
      response.writeHead(200, { 'Content-Length': '100' }).write('a part', () => response.destroy());
    });
    const object = await client.objects.download(resource, key);
    await expect(object.bytes()).rejects.toMatchObject({ name: 'ConnectionError', operation: 'objects.download' });
  });

  test('a progress callback that throws changes no outcome', async () => {
    const { client } = await onTheWire((_, response) => response.end('firmware'));
    const onProgress = () => {
      throw new Error('progress');
    };
    expect(await (await client.objects.download(resource, key, { onProgress })).text()).toBe('firmware');
  });
});

/** A Blob of a file that was changed after it was opened. */
async function changedFile(): Promise<Blob> {
  const folder = await mkdtemp(join(tmpdir(), 'top-upload-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'file'), bytes);
  const blob = await openAsBlob(join(folder, 'file'));
  await appendFile(join(folder, 'file'), bytes);
  return blob;
}

const failingStream = () =>
  new ReadableStream({
    pull() {
      throw new Error('disk failure');
    },
  });

const inChunks = (content: Uint8Array) =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < content.length; at += 300_000) controller.enqueue(content.subarray(at, at + 300_000));
      controller.close();
    },
  });

const report = (seen: TransferProgress[]) => (progress: TransferProgress) => void seen.push(progress);

/** It grows in more than one step, up to the whole size. */
function expectProgress(seen: TransferProgress[], totalBytes: number): void {
  const counts = seen.map(({ transferredBytes }) => transferredBytes);
  expect(counts.length).toBeGreaterThan(1);
  expect(counts).toEqual([...new Set(counts)].sort((a, b) => a - b));
  expect(seen.at(-1)).toEqual({ transferredBytes: totalBytes, totalBytes });
}
