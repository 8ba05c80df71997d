/** `postgres://user:password@one:5432,two:5432/name`: URL knows only one host. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s;

/** The URL of each host: one that URL cannot read if the text is no URL of Postgres. */
export function urlsOfHosts(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(url) ?? [];
  return hosts.split(',').map((host) => `${before}${host}${after}`);
}

/** Of several hosts, the driver splits name and port at the first colon: an IPv6 address does not work there. */
export const isDatabaseUrl = (url: string): boolean => {
  const urls = urlsOfHosts(url);
  return urls.every((one) => URL.canParse(one) && (urls.length === 1 || /^[^[]+$/.test(new URL(one).host)));
};
