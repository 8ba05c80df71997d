# The platform, and topctl. Build: docker build --tag tenant-open-platform .
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY . .
# The image has the packages that npm has: packed here, installed below /app with their dependencies.
RUN node scripts/pack.mjs /tmp \
  && npm install --prefix /app --ignore-scripts --no-audit --no-fund /tmp/sdk.tgz /tmp/server.tgz /tmp/cli.tgz \
  && install -d -o 1000 -g 1000 -m 0700 /data

FROM ${NODE_IMAGE}
# An attacker in a container must not find tools to install or build more. The list of Debian's packages stays, for
# scanners of vulnerabilities.
RUN rm -rf /usr/local/lib/node_modules /usr/local/include /opt/yarn* \
  /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
  /usr/bin/apt* /usr/lib/apt /etc/apt /usr/bin/dpkg* /usr/sbin/dpkg* /usr/lib/dpkg
COPY --from=build /app /app
COPY --from=build --chown=1000:1000 /data /data
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data PATH=/app/node_modules/.bin:/usr/local/bin:/usr/bin:/bin
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "const { PROBES_HOST, HOST, PROBES_PORT, PORT } = process.env; const host = PROBES_HOST || HOST; const address = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host; fetch(`http://${address}:${PROBES_PORT || PORT || 8787}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The server itself handles SIGTERM: no shell in between.
ENTRYPOINT ["node", "/app/node_modules/@tenant-open-platform/server/dist/main.js"]
