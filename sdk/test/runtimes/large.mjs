const PIECE = 65_536;
const COLLECT_EVERY = 8_000_000;

/** The byte at an offset: no two neighbouring pieces are the same. */
const byteAt = (offset) => Math.floor(offset / PIECE) % 251;

/** V8 may let 64 MB of used pieces lie before it collects them. What is measured is how much is held. */
function collect(at, length) {
  if (at % COLLECT_EVERY < length) globalThis.gc?.();
}

/** The content piece by piece, made when it is asked for. */
function content(size) {
  let at = 0;
  return new ReadableStream(
    {
      pull(controller) {
        if (at >= size) return controller.close();
        controller.enqueue(new Uint8Array(Math.min(PIECE, size - at)).fill(byteAt(at)));
        at += PIECE;
        collect(at, PIECE);
      },
    },
    { highWaterMark: 0 },
  );
}

/** A Blob whose content the runtime may keep where it likes. */
async function blobOf(size) {
  const pieces = [];
  for (let at = 0; at < size; at += PIECE)
    pieces.push(new Blob([new Uint8Array(Math.min(PIECE, size - at)).fill(byteAt(at))]));
  return new Blob(pieces);
}

/** Uploads `size` bytes, downloads them as a stream, and says whether they are the same. */
export async function prepareLarge(
  sdk,
  { baseUrl, clientId, secret, resourceId, dangerouslyAllowBrowser, size, streams },
) {
  const client = new sdk.TenantOpenPlatform({ baseUrl, clientId, secret, dangerouslyAllowBrowser });
  const source = streams ? undefined : await blobOf(size);
  globalThis.gc?.();
  return async () => {
    const key = `large ${crypto.randomUUID()}`;
    const options = { contentType: 'application/octet-stream', contentLength: size, checksumSha256: false };
    await client.objects.upload(resourceId, key, source ?? content(size), options);
    const { body } = await client.objects.download(resourceId, key);
    const reader = body.getReader();
    let at = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return at === size ? 'ok' : `${at} of ${size} bytes`;
      const last = value.length - 1;
      if (value[0] !== byteAt(at) || value[last] !== byteAt(at + last)) return `wrong at ${at}`;
      at += value.length;
      collect(at, value.length);
    }
  };
}
