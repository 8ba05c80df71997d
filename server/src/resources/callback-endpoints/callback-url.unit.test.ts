import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError, refuse } from '../../foundation/api-error.js';
import { canonicalCallbackUrl } from './callback-url.js';

const RUNS = process.env.CI ? 5_000 : 1_250;

const canonicalUrl = (url: string) => canonicalCallbackUrl(url, refuse);

/** The code of the detail that says why the URL is refused; null if it is accepted. */
function refusalOf(url: string): string | null {
  try {
    canonicalUrl(url);
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect([error.code, error.extra.details]).toEqual([
      'CALLBACK_URL_NOT_ALLOWED',
      [{ location: 'body/url', code: expect.any(String), message: expect.stringMatching(/^(must|is not) /) }],
    ]);
    return error.extra.details?.[0]?.code ?? '';
  }
}

const withHosts = (hosts: string[]) => hosts.map((host) => `https://${host}/hook`);

const hostile: Record<string, string[]> = {
  HTTPS_REQUIRED: [
    'http://hooks.acme.example/',
    'HTTP://hooks.acme.example/',
    'ftp://hooks.acme.example/',
    'wss://hooks.acme.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,x',
    'gopher://hooks.acme.example/',
    'hooks.acme.example/top',
    '//hooks.acme.example/top',
    'https:hooks.acme.example',
    'https:/hooks.acme.example',
    'https://',
    'https:///hooks.acme.example/',
    'https://?x',
    'x',
  ],
  USER_NOT_ALLOWED: [
    'https://user@hooks.acme.example/',
    'https://user:password@hooks.acme.example/',
    'https://:password@hooks.acme.example/',
    'https://@hooks.acme.example/',
    'https://:@hooks.acme.example/',
    'https://hooks.acme.example@127.0.0.1/',
    'https://hooks.acme.example:443@10.0.0.1/',
    'https://a@b@hooks.acme.example/',
  ],
  FRAGMENT_NOT_ALLOWED: [
    'https://hooks.acme.example/#part',
    'https://hooks.acme.example/#',
    'https://hooks.acme.example#@127.0.0.1/',
    'https://hooks.acme.example/?a=1#b',
  ],
  PORT_NOT_ALLOWED: ['https://hooks.acme.example:0/', 'https://hooks.acme.example:00000/'],
  INVALID_URL: [
    ' https://hooks.acme.example/',
    'https://hooks.acme.example/ ',
    'https://hooks.acme.example/a b',
    'https://hooks.acme\t.example/',
    'https://hooks.acme.example/\r\nX-Injected: 1',
    'https://hooks.acme.example\u00a0/',
    'https://hooks.acme.example\\@127.0.0.1/',
    'https:\\\\127.0.0.1\\',
    'https://hooks.acme.example:65536/',
    'https://hooks.acme.example:-1/',
    'https://hooks.acme.example:https/',
    'https://127.0.0.1:80:443/',
    'https://256.256.256.256/',
    'https://1.2.3.4.5/',
    'https://127.0.0.08/',
    'https://hooks.acme.1/',
    'https://4294967296/',
    'https://[::1/',
    'https://::1/',
    'https://[::g]/',
    'https://[fe80::1%25eth0]/',
    'https://[v1.fe80]/',
    'https://hooks%00.acme.example/',
    'https://hooks%2f.acme.example/',
    'https://hooks%40acme.example/',
    'https://hooks%23.acme.example/',
    'https://xn--a.example/',
    'https://℀.example/',
    'https://%zz.example/',
  ],
  ADDRESS_NOT_PUBLIC: withHosts([
    // Loopback in the spellings of inet_aton.
    ...['127.0.0.1', '127.255.255.254', '127.1', '127.0.1', '2130706433', '0x7f000001', '0X7F.1', '017700000001'],
    ...['0177.0.0.1', '0x7f.0x0.0x0.0x1', '127.0.0.1.', '0000000000177.0.0.01', '127.0.0x0.01'],
    // In full-width, circled and other digits, other dots, and percent-encoded.
    ...['１２７.０.０.１', '①②⑦.⓪.⓪.①', '𝟏𝟐𝟕.𝟎.𝟎.𝟏', '127。0。0。1', '127．0．0．1', '127｡0｡0｡1', '０ｘ7f．1'],
    ...['%31%32%37.0.0.1', '127%2e0%2e0%2e1', '%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1', '127.0.0.1%E3%80%82'],
    // Unspecified, private, CGNAT, link-local.
    ...['0', '0.0.0.0', '0x', '0.1.2.3', '10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['0xc0a80101', '3232235777', '192.168.257', '0xa.1', '012.1', '100.64.0.1', '100.127.255.255', '169.254.0.1'],
    // Metadata: of AWS, GCP and Azure in three spellings, Oracle, Alibaba, and Azure's own.
    ...['169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '192.0.0.192', '100.100.100.200'],
    ...['168.63.129.16', '0xa83f8110'],
    // Protocols, documentation, benchmark, relays, multicast, reserved, broadcast.
    ...['192.0.0.1', '192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '198.19.255.255', '192.88.99.1'],
    ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '4294967295', '0xffffffff'],
    // IPv6: loopback, unspecified, link-local, site-local, unique local, multicast, discard, documentation, benchmark.
    ...['[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::]', '[fe80::1]', '[FEBF::1]', '[fec0::1]', '[feff::1]'],
    ...['[fc00::1]', '[fdff::1]', '[fd00:ec2::254]', '[fd20:ce::254]', '[ff02::1]', '[ff0e::1]', '[100::1]'],
    ...['[2001:db8::1]', '[3fff::1]', '[2001:2::1]', '[2001:10::1]', '[5f00::1]', '[4000::1]', '[1::1]'],
    // IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo; also of public addresses.
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:10.0.0.1]', '[0:0:0:0:0:ffff:a9fe:a9fe]', '[::ffff:8.8.8.8]'],
    ...['[::127.0.0.1]', '[::a9fe:a9fe]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]'],
    ...['[64:ff9b:1::10.0.0.1]', '[2002:7f00:1::]', '[2002:c0a8:101::1]', '[2002:a00:1::1]', '[2002:808:808::1]'],
    ...['[2001::1]', '[2001:0:4136:e378:8000:63bf:3fff:fdd2]', '[2001:0:7f00:1::]'],
  ]),
  HOST_NOT_PUBLIC: withHosts([
    ...[
      'localhost',
      'LOCALHOST',
      'LocalHost',
      'ｌｏｃａｌｈｏｓｔ',
      'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
      'lo\u00adcalhost',
      'loc%61lhost',
      'localhoſt',
    ],
    ...[
      'ⅼocalhost',
      '%6C%6F%63%61%6C%68%6F%73%74',
      'api.localhost',
      'x.y.LOCALHOST',
      'localhost.localdomain',
      'localhost4.localdomain4',
      'kubernetes.default',
    ],
    // A Cyrillic o makes another name, with a single label.
    ...['l\u043ecalhost', 'xn--lcalhost-nbh', 'intranet', 'router', 'metadata', 'instance-data', 'kubernetes', 'com'],
    ...['printer.local', 'printer。local', 'router.lan', 'nas.home', 'pi.home.arpa', '1.0.0.127.in-addr.arpa'],
    ...[
      'wiki.corp',
      'wiki.intranet',
      'db.private',
      'smtp.mail',
      'metadata.google.internal',
      'METADATA.Google.Internal',
    ],
    ...['ip-10-0-0-1.ec2.internal', 'host.docker.internal', 'api.default.svc', 'api.default.svc.cluster.local'],
    ...['web.service.consul', 'abcdefghij234567.onion', 'name.alt', 'app.test', 'nowhere.invalid'],
    ...['metadata.goog', 'metadata.tencentyun.com', '127.0.0.1.nip.io', '7f000001.nip.io', '10-0-0-1.sslip.io'],
    ...['nip.io', '10.0.0.1.xip.io', 'localtest.me', 'x.localtest.me', 'lvh.me'],
  ]),
  INVALID_HOST: withHosts([
    ...['localhost.', 'localhost..', 'localhost%2e', 'localhost%E3%80%82', '127.0.0.1..', 'hooks.acme.example.'],
    ...['metadata.google.internal.', 'hooks..acme.example', '.acme.example', '*.acme.example', '-x.acme.example'],
    ...['xn--localhost-', 'hooks.acme.xn--local-', "hooks'.acme.example", 'hooks,acme.example', 'a;b.acme.example'],
    ...[`${'a'.repeat(64)}.example`, `${'abcdefgh.'.repeat(28)}example`],
  ]),
  TOO_BIG: [`https://hooks.acme.example/${'é'.repeat(400)}`, `https://hooks.acme.example/${'a'.repeat(2022)}`],
};

const good: [url: string, stored: string][] = [
  ['https://hooks.acme.example/top', 'https://hooks.acme.example/top'],
  ['https://hooks.acme.example', 'https://hooks.acme.example/'],
  ['HTTPS://Hooks.ACME.Example/Top', 'https://hooks.acme.example/Top'],
  ['https://hooks.acme.example:443/', 'https://hooks.acme.example/'],
  ['https://hooks.acme.example:00443/', 'https://hooks.acme.example/'],
  ['https://hooks.acme.example:8443/', 'https://hooks.acme.example:8443/'],
  ['https://hooks.acme.example:1/', 'https://hooks.acme.example:1/'],
  ['https://hooks.acme.example:65535/', 'https://hooks.acme.example:65535/'],
  ['https://hooks.acme.example?a=1', 'https://hooks.acme.example/?a=1'],
  ['https://hooks.acme.example/a?b=c@d&e=%23', 'https://hooks.acme.example/a?b=c@d&e=%23'],
  ['https://hooks.acme.example/user@host:1/x', 'https://hooks.acme.example/user@host:1/x'],
  ['https://hooks.acme.example/a/../b/%2e%2e/c', 'https://hooks.acme.example/c'],
  ['https://hooks.acme.example/ü?ü=1', 'https://hooks.acme.example/%C3%BC?%C3%BC=1'],
  ['https://%68ooks.acme.example/', 'https://hooks.acme.example/'],
  ['https://ｈｏｏｋｓ．acme。example/', 'https://hooks.acme.example/'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ['https://XN--BCHER-KVA.example/', 'https://xn--bcher-kva.example/'],
  ['https://hook_1.acme-europe.example/', 'https://hook_1.acme-europe.example/'],
  ['https://3com.example/', 'https://3com.example/'],
  ['https://localhost.acme.example/', 'https://localhost.acme.example/'],
  ['https://mylocal.acmelocalhost.com/', 'https://mylocal.acmelocalhost.com/'],
  ['https://local.internal.acme.co.uk/', 'https://local.internal.acme.co.uk/'],
  ['https://127.0.0.1.acme.com/', 'https://127.0.0.1.acme.com/'],
  ['https://notnip.io/', 'https://notnip.io/'],
  ['https://8.8.8.8/', 'https://8.8.8.8/'],
  ['https://0x08080808/', 'https://8.8.8.8/'],
  ['https://8.8.2056./', 'https://8.8.8.8/'],
  ['https://172.32.0.1/', 'https://172.32.0.1/'],
  ['https://100.128.0.1/', 'https://100.128.0.1/'],
  ['https://[2606:4700:4700:0:0::1111]:8443/', 'https://[2606:4700:4700::1111]:8443/'],
  ['https://[2A00:1450:4001:81B::200E]/', 'https://[2a00:1450:4001:81b::200e]/'],
  [`https://${'abcdefgh.'.repeat(27)}example/`, `https://${'abcdefgh.'.repeat(27)}example/`],
];

describe.each(Object.entries(hostile))('%s', (code, urls) => {
  test.each(urls)('refuses %j', (url) => {
    expect(refusalOf(url)).toBe(code);
  });
});

test.each(good)('accepts %j as %j', (url, stored) => {
  expect(canonicalUrl(url)).toBe(stored);
  expect(canonicalUrl(stored)).toBe(stored);
});

test('accepts 2,048 characters of the canonical spelling, and not one more', () => {
  const longest = `https://hooks.acme.example/${'a'.repeat(2_048 - 'https://hooks.acme.example/'.length)}`;
  expect(canonicalUrl(longest)).toBe(longest);
  expect(refusalOf(`${longest}a`)).toBe('TOO_BIG');
});

test('names the violated rule, and shows no password', () => {
  const messageOf = (url: string) => {
    try {
      return canonicalUrl(url);
    } catch (error) {
      return JSON.stringify([(error as ApiError).message, (error as ApiError).extra]);
    }
  };
  expect(messageOf('https://0x7f.1/')).toContain('127.0.0.1');
  expect(messageOf('https://a.b.internal/')).toContain('the domain internal');
  for (const url of [
    'https://user:hunter2@a.example/',
    'https://a.example/?t=hunter2#',
    ' https://:hunter2@localhost/',
  ]) {
    expect(messageOf(url)).not.toContain('hunter2');
  }
});

/** IANA's registry of special-purpose IPv4 addresses, multicast, and Azure's WireServer. */
const SPECIAL = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
].map((range) => {
  const [network = '', prefix] = range.split('/');
  return { network, prefix: Number(prefix) };
});
const special = new BlockList();
for (const { network, prefix } of SPECIAL) special.addSubnet(network, prefix);

const dotted = (address: number) => [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
const numberOf = (network: string) => network.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);

const specialAddress = fc
  .tuple(fc.constantFrom(...SPECIAL), fc.nat(0xffffffff))
  .map(([{ network, prefix }, offset]) => numberOf(network) + (offset % 2 ** (32 - prefix)));

const digits = fc.constantFrom<(value: number) => string>(
  (value) => String(value),
  (value) => `0${value.toString(8)}`,
  (value) => `000${value.toString(8)}`,
  (value) => `0x${value.toString(16)}`,
  (value) => `0X00${value.toString(16).toUpperCase()}`,
);
const characters = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => text.replace(/[!-~]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)),
  (text) => text.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (text) => text.replaceAll('.', '\u3002'),
);

/** An IPv4 address as inet_aton reads it: one to four numbers in any base, in any equivalent characters. */
const spelledAs = (address: number) =>
  fc
    .tuple(fc.integer({ min: 0, max: 3 }), fc.array(digits, { minLength: 4, maxLength: 4 }), characters, fc.boolean())
    .map(([leading, write, rewrite, ends]) => {
      const bytes = dotted(address).split('.').map(Number);
      const rest = address % 2 ** (8 * (4 - leading));
      const parts = [...bytes.slice(0, leading), rest].map((part, index) => write[index]?.(part));
      return rewrite(`${parts.join('.')}${ends ? '.' : ''}`);
    });

const spelled = (address: fc.Arbitrary<number>) =>
  address.chain((number) => spelledAs(number).map((host) => ({ address: dotted(number), url: `https://${host}/` })));

test('refuses every special IPv4 address in every legacy spelling', () => {
  fc.assert(
    fc.property(spelled(specialAddress), ({ address, url }) => {
      // The spelling does mean the address.
      expect(new URL(url).hostname).toBe(address);
      expect(refusalOf(url)).toBe('ADDRESS_NOT_PUBLIC');
    }),
    { numRuns: RUNS },
  );
});

test('for any IPv4 address: refuses special ones, and accepts and stores the rest in decimal', () => {
  fc.assert(
    fc.property(spelled(fc.nat(0xffffffff)), ({ address, url }) => {
      if (special.check(address)) expect(refusalOf(url)).toBe('ADDRESS_NOT_PUBLIC');
      else expect(canonicalUrl(url)).toBe(`https://${address}/`);
    }),
    { numRuns: RUNS },
  );
});

test('refuses every IPv4 address inside IPv6', () => {
  const inside = fc.constantFrom<(high: string, low: string) => string>(
    (high, low) => `::ffff:${high}:${low}`,
    (high, low) => `::${high}:${low}`,
    (high, low) => `::ffff:0:${high}:${low}`,
    (high, low) => `64:ff9b::${high}:${low}`,
    (high, low) => `2002:${high}:${low}::1`,
    (high, low) => `2001:0:${high}:${low}::`,
    (high, low) => `2001::${high}:${low}`,
  );
  fc.assert(
    fc.property(fc.nat(0xffffffff), inside, (address, embed) => {
      const host = embed((address >>> 16).toString(16), (address & 0xffff).toString(16));
      expect(refusalOf(`https://[${host}]/`)).toBe('ADDRESS_NOT_PUBLIC');
    }),
    { numRuns: RUNS },
  );
});

test('an accepted URL is canonical: parsed again it is the same, with https and without user and fragment', () => {
  const host = fc.oneof(
    fc.domain(),
    fc.ipV4(),
    fc.ipV6().map((address) => `[${address}]`),
    fc.string(),
  );
  const tail = fc.string({ unit: 'grapheme', maxLength: 40 });
  let accepted = 0;
  fc.assert(
    fc.property(host, tail, (name, rest) => {
      const url = `https://${name}/${rest}`;
      if (refusalOf(url) !== null) return;
      accepted++;
      const stored = canonicalUrl(url);
      expect(canonicalUrl(stored)).toBe(stored);
      const { protocol, username, password, hash } = new URL(stored);
      expect([protocol, username, password, hash]).toEqual(['https:', '', '', '']);
      expect(stored).toMatch(/^[\x21-\x7E]+$/);
    }),
    { numRuns: RUNS },
  );
  expect(accepted).toBeGreaterThan(RUNS / 10);
});
