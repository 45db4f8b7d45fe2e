# Palimpsest as one image for every role: api, worker, all (docs/operations.md).
#   docker build -t palimpsest .
#   docker run -p 127.0.0.1:8787:8787 -v palimpsest:/data -e PALIMPSEST_API_KEYS=team-a:SECRET palimpsest

# --- Production dependencies. None of them has to be compiled.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Optional packages are SQLite for Node 20, a compiler that a peer dependency names and native
# speed-ups: left out. No install script is needed.
RUN npm ci --omit=dev --omit=optional --ignore-scripts
# What whoever installs the package adds when needed: models, the queue, tokenizers. The lock pins them.
COPY scripts/optional-parts.mjs ./scripts/
RUN npm install --no-save --save-prod --omit=dev --omit=optional --ignore-scripts $(node scripts/optional-parts.mjs)

# --- The compiler, which needs no native module.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json tsconfig.langchain.build.json ./
COPY scripts ./scripts
COPY src ./src
# The build starts the service once, to write down its interface.
COPY migrations ./migrations
COPY templates ./templates
RUN npm run build

# --- What runs: no compiler, nothing that its user may change except /data.
FROM node:24.21.0-bookworm-slim AS runtime
LABEL org.opencontainers.image.title="palimpsest" \
  org.opencontainers.image.description="Self-hosted, event-sourced conversation compaction" \
  org.opencontainers.image.licenses="MIT"
WORKDIR /app
RUN install -d -o node -g node /data
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY migrations ./migrations
COPY templates ./templates
# What a vacuum writes anew has no room in a /tmp of memory, and no other folder can be written.
# HOST is open so that the port can be published: without PALIMPSEST_API_KEYS the service says so and ends.
ENV HOST=0.0.0.0 \
  PORT=8787 \
  DATABASE_URL=file:/data/palimpsest.db \
  SQLITE_TMPDIR=/data
VOLUME /data
EXPOSE 8787
# The user node, as a number: Kubernetes can only tell of a number that it is not root.
USER 1000:1000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1: it handles SIGTERM itself and starts no children, so no init is needed.
ENTRYPOINT ["node", "/app/dist/cli.js"]
CMD ["serve"]
