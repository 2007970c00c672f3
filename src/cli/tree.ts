import type { CommandTree, Group, Single } from './kit/args/input.ts';
import type { Command, Verbs } from './session/command.ts';

/** The command for a line without one, in a terminal or with flags of this command. */
const bareCommand = 'new';

/** The commands without a group. */
const singles: readonly (Single<Command> & InSection)[] = [
  {
    name: 'start',
    aliases: [],
    summary: 'Take a guided tour of one complete delivery',
    section: 'Start',
    load: async () => ({ commands: [(await import('./commands/start.ts')).start] }),
  },
  {
    name: 'new',
    aliases: ['wizard'],
    summary: 'Create a delivery with the interactive wizard (same as `waybill` in a terminal)',
    section: 'Start',
    load: async () => ({ commands: [(await import('./commands/new.ts')).create] }),
  },
  {
    name: 'ship',
    aliases: [],
    summary: 'Create orders, request quotes and dispatch in one command',
    section: 'Start',
    load: async () => ({ commands: [(await import('./commands/ship.ts')).ship] }),
  },
  {
    name: 'dispatch',
    aliases: [],
    summary: "Dispatch a route with a provider's quote",
    section: 'Manual flow',
    load: async () => ({ commands: [(await import('./commands/dispatch.ts')).dispatch] }),
  },
  {
    name: 'listen',
    aliases: [],
    summary: 'Forward events to a local server',
    section: 'Events',
    load: async () => ({ commands: [(await import('./commands/listen.ts')).listen] }),
  },
  {
    name: 'today',
    aliases: ['problems'],
    summary: 'Show what needs attention, worst first, each with its next command',
    section: 'Deliveries',
    load: async () => ({ commands: [(await import('./commands/today.ts')).today] }),
  },
  {
    name: 'report',
    aliases: ['stats', 'statistics', 'summary'],
    summary: 'Count the deliveries of a period, with their cost and times',
    section: 'Deliveries',
    load: async () => ({ commands: [(await import('./commands/report.ts')).report] }),
  },
  {
    name: 'notes',
    aliases: [],
    summary: 'List the notes of all deliveries, newest first',
    section: 'Deliveries',
    load: async () => ({ commands: [(await import('./commands/notes.ts')).notes] }),
  },
  {
    name: 'board',
    aliases: [],
    summary: "Show the dispatcher's board: what needs a person, all deliveries, drivers and a map",
    section: 'Deliveries',
    load: async () => ({ commands: [(await import('./commands/board.ts')).board] }),
  },
  {
    name: 'track',
    aliases: [],
    summary: "Show the recipient's tracking page of a delivery",
    section: 'Deliveries',
    load: async () => ({ commands: [(await import('./commands/track.ts')).track] }),
  },
  {
    name: 'serve',
    aliases: ['server'],
    summary: 'Run the delivery service',
    section: 'Service',
    load: async () => ({ commands: [(await import('./commands/serve.ts')).serve] }),
  },
  {
    name: 'migrate',
    aliases: [],
    summary: 'Migrate the database of a service to the schema of this version',
    section: 'Service',
    load: async () => ({ commands: [(await import('./commands/migrate.ts')).migrate] }),
  },
  {
    name: 'backup',
    aliases: [],
    summary: 'Copy the database of a service to a file, also while it runs',
    section: 'Service',
    load: async () => ({ commands: [(await import('./commands/backup.ts')).backup] }),
  },
  {
    name: 'restore',
    aliases: [],
    summary: 'Replace the database of a stopped service by a backup',
    section: 'Service',
    load: async () => ({ commands: [(await import('./commands/restore.ts')).restore] }),
  },
  {
    name: 'doctor',
    aliases: [],
    summary: 'Diagnose problems with this machine and the service',
    section: 'Start',
    load: async () => ({ commands: [(await import('./commands/doctor.ts')).doctor] }),
  },
  {
    name: 'login',
    aliases: ['signin'],
    summary: 'Verify an API key and store it in a profile',
    section: 'Settings',
    load: async () => ({ commands: [(await import('./commands/login.ts')).login] }),
  },
  {
    name: 'logout',
    aliases: ['signout'],
    summary: 'Remove the API key of a profile',
    section: 'Settings',
    load: async () => ({ commands: [(await import('./commands/logout.ts')).logout] }),
  },
  {
    name: 'whoami',
    aliases: ['status', 'me'],
    summary: 'Show the current profile, mode and account',
    section: 'Settings',
    load: async () => ({ commands: [(await import('./commands/whoami.ts')).whoami] }),
  },
  {
    name: 'completion',
    aliases: ['completions'],
    summary: 'Set up shell completion',
    section: 'Settings',
    load: async () => ({ commands: [(await import('./commands/completion.ts')).completion] }),
  },
  {
    name: 'api',
    aliases: ['request'],
    summary: 'Make an authenticated API request',
    section: 'Service',
    load: async () => ({ commands: [(await import('./commands/api.ts')).api] }),
  },
  {
    name: 'mcp',
    aliases: [],
    summary: 'Serve tools for AI assistants over the Model Context Protocol',
    section: 'Service',
    load: async () => ({ commands: [(await import('./commands/mcp.ts')).mcp] }),
  },
  {
    name: 'openapi',
    aliases: ['spec'],
    summary: 'Print the OpenAPI 3.1 description of the API',
    section: 'Service',
    load: async () => ({ commands: [(await import('./commands/openapi.ts')).openapi] }),
  },
  {
    name: 'commands',
    aliases: [],
    summary: 'List every command and flag as JSON',
    section: 'Service',
    load: async () => ({ commands: [(await import('./commands/commands.ts')).commands] }),
  },
  {
    name: 'help',
    aliases: [],
    summary: 'Show help for a command or a topic',
    section: 'Service',
    load: async () => ({ commands: [(await import('./commands/help.ts')).help] }),
  },
];

/** The sections of help, in order. */
const sections = [
  'Start',
  'Deliveries',
  'Manual flow',
  'Auto dispatch',
  'Events',
  'Sandbox',
  'Settings',
  'Service',
] as const;
/** The command groups, in help order. Each command's file is its path: `commands/orders/create.ts`. */
const groups: readonly (Group<Command> & InSection)[] = [
  {
    name: 'orders',
    aliases: ['order'],
    summary: 'Create and manage orders',
    section: 'Manual flow',
    verbs: () => ordersVerbs,
  },
  {
    name: 'routes',
    aliases: ['route'],
    summary: "Group orders into a driver's route",
    section: 'Manual flow',
    verbs: () => routesVerbs,
  },
  {
    name: 'quotes',
    aliases: ['quote'],
    summary: 'Compare provider quotes for a route',
    section: 'Manual flow',
    verbs: () => quotesVerbs,
  },
  {
    name: 'batches',
    aliases: ['batch'],
    summary: 'Manage batches of auto-dispatched orders',
    section: 'Auto dispatch',
    verbs: () => batchesVerbs,
  },
  {
    name: 'deliveries',
    aliases: ['delivery'],
    summary: 'Find and manage deliveries',
    section: 'Deliveries',
    verbs: () => deliveriesVerbs,
  },
  {
    name: 'events',
    aliases: ['event'],
    summary: 'Read and resend events',
    section: 'Events',
    verbs: () => eventsVerbs,
  },
  {
    name: 'webhooks',
    aliases: ['webhook'],
    summary: 'Manage webhook endpoints',
    section: 'Events',
    verbs: () => webhooksVerbs,
  },
  {
    name: 'charges',
    aliases: ['charge'],
    summary: 'Charges and refunds',
    section: 'Deliveries',
    verbs: () => chargesVerbs,
  },
  {
    name: 'disputes',
    aliases: [],
    summary: 'Disputes of deliveries and their outcomes',
    section: 'Deliveries',
    verbs: () => disputesVerbs,
  },
  {
    name: 'stores',
    aliases: ['store'],
    summary: 'Manage saved pickup locations',
    section: 'Deliveries',
    verbs: () => storesVerbs,
  },
  {
    name: 'couriers',
    aliases: ['courier'],
    summary: 'Connect courier companies such as Uber Direct and DoorDash Drive',
    section: 'Deliveries',
    verbs: () => couriersVerbs,
  },
  {
    name: 'drivers',
    aliases: ['driver', 'fleet'],
    summary: 'Manage your own drivers and the links of their pages',
    section: 'Deliveries',
    verbs: () => driversVerbs,
  },
  {
    name: 'sandbox',
    aliases: ['sim'],
    summary: 'Control the sandbox: clock, scenarios and simulated failures',
    section: 'Sandbox',
    verbs: () => sandboxVerbs,
  },
  {
    name: 'profiles',
    aliases: ['profile'],
    summary: 'Manage profiles: saved services and keys',
    section: 'Settings',
    verbs: () => profilesVerbs,
  },
  {
    name: 'config',
    aliases: ['settings'],
    summary: 'Show effective settings and where each comes from',
    section: 'Settings',
    verbs: () => configVerbs,
  },
  {
    name: 'keys',
    aliases: ['key', 'api-keys'],
    summary: 'Manage API keys',
    section: 'Settings',
    verbs: () => keysVerbs,
  },
  {
    name: 'admin',
    aliases: [],
    summary: 'Administer the accounts and failed background work of a service',
    section: 'Service',
    verbs: () => adminVerbs,
  },
  {
    name: 'audit',
    aliases: [],
    summary: 'Who changed what',
    section: 'Service',
    verbs: () => auditVerbs,
  },
  {
    name: 'secrets',
    aliases: ['secret'],
    summary: 'Manage the key that encrypts stored secrets',
    section: 'Service',
    verbs: () => secretsVerbs,
  },
];

const ordersVerbs: Verbs = {
  create: async () => (await import('./commands/orders/create.ts')).create,
  import: async () => (await import('./commands/orders/import.ts')).importing,
  list: async () => (await import('./commands/orders/orders.ts')).list,
  get: async () => (await import('./commands/orders/orders.ts')).get,
  wait: async () => (await import('./commands/orders/orders.ts')).wait,
  tries: async () => (await import('./commands/orders/tries.ts')).tries,
  cancel: async () => (await import('./commands/orders/orders.ts')).cancel,
};
const routesVerbs: Verbs = {
  create: async () => (await import('./commands/routes.ts')).create,
  list: async () => (await import('./commands/routes.ts')).list,
  get: async () => (await import('./commands/routes.ts')).get,
  wait: async () => (await import('./commands/routes.ts')).wait,
  delete: async () => (await import('./commands/routes.ts')).deleteRoute,
  quote: async () => (await import('./commands/routes.ts')).quote,
};
const quotesVerbs: Verbs = {
  list: async () => (await import('./commands/quotes.ts')).list,
  wait: async () => (await import('./commands/quotes.ts')).wait,
};
const batchesVerbs: Verbs = {
  list: async () => (await import('./commands/batches.ts')).list,
  get: async () => (await import('./commands/batches.ts')).get,
  wait: async () => (await import('./commands/batches.ts')).wait,
  cancel: async () => (await import('./commands/batches.ts')).cancel,
};

const deliveriesVerbs: Verbs = {
  list: async () => (await import('./commands/deliveries/deliveries.ts')).list,
  get: async () => (await import('./commands/deliveries/get.ts')).get,
  explain: async () => (await import('./commands/deliveries/explain.ts')).explain,
  watch: async () => (await import('./commands/deliveries/deliveries.ts')).watch,
  wait: async () => (await import('./commands/deliveries/deliveries.ts')).wait,
  quote: async () => (await import('./commands/deliveries/quote.ts')).quote,
  create: async () => (await import('./commands/deliveries/create.ts')).create,
  initiate: async () => (await import('./commands/deliveries/create.ts')).initiate,
  assign: async () => (await import('./commands/deliveries/own-drivers.ts')).assign,
  report: async () => (await import('./commands/deliveries/own-drivers.ts')).report,
  unlock: async () => (await import('./commands/deliveries/own-drivers.ts')).unlock,
  edit: async () => (await import('./commands/deliveries/edit.ts')).edit,
  cancel: async () => (await import('./commands/deliveries/cancel.ts')).cancel,
  retry: async () => (await import('./commands/deliveries/retry.ts')).retry,
  note: async () => (await import('./commands/deliveries/note.ts')).note,
  dispute: async () => (await import('./commands/deliveries/dispute.ts')).dispute,
};

const eventsVerbs: Verbs = {
  list: async () => (await import('./commands/events/events.ts')).list,
  get: async () => (await import('./commands/events/events.ts')).get,
  tail: async () => (await import('./commands/events/events.ts')).tail,
  resend: async () => (await import('./commands/events/resend.ts')).resend,
};

const webhooksVerbs: Verbs = {
  create: async () => (await import('./commands/webhooks/webhooks.ts')).create,
  list: async () => (await import('./commands/webhooks/webhooks.ts')).listEndpoints,
  get: async () => (await import('./commands/webhooks/webhooks.ts')).get,
  update: async () => (await import('./commands/webhooks/webhooks.ts')).update,
  delete: async () => (await import('./commands/webhooks/webhooks.ts')).deleteWebhook,
  'rotate-secret': async () => (await import('./commands/webhooks/webhooks.ts')).rotateSecret,
  test: async () => (await import('./commands/webhooks/webhooks.ts')).test,
  attempts: async () => (await import('./commands/webhooks/attempts.ts')).attempts,
  verify: async () => (await import('./commands/webhooks/verify.ts')).verify,
};
const chargesVerbs: Verbs = {
  list: async () => (await import('./commands/charges.ts')).list,
};

const disputesVerbs: Verbs = {
  list: async () => (await import('./commands/disputes.ts')).list,
  get: async () => (await import('./commands/disputes.ts')).get,
  resolve: async () => (await import('./commands/disputes.ts')).resolve,
};

const storesVerbs: Verbs = {
  create: async () => (await import('./commands/stores.ts')).createStore,
  list: async () => (await import('./commands/stores.ts')).listStores,
  get: async () => (await import('./commands/stores.ts')).getStore,
  update: async () => (await import('./commands/stores.ts')).updateStore,
  delete: async () => (await import('./commands/stores.ts')).deleteStore,
};

const couriersVerbs: Verbs = {
  list: async () => (await import('./commands/couriers/couriers.ts')).list,
  connect: async () => (await import('./commands/couriers/couriers.ts')).connect,
  check: async () => (await import('./commands/couriers/check.ts')).check,
  enable: async () => (await import('./commands/couriers/couriers.ts')).enable,
  disable: async () => (await import('./commands/couriers/couriers.ts')).disable,
  remove: async () => (await import('./commands/couriers/couriers.ts')).remove,
};
const driversVerbs: Verbs = {
  add: async () => (await import('./commands/drivers.ts')).add,
  list: async () => (await import('./commands/drivers.ts')).list,
  get: async () => (await import('./commands/drivers.ts')).get,
  update: async () => (await import('./commands/drivers.ts')).update,
  link: async () => (await import('./commands/drivers.ts')).link,
  prices: async () => (await import('./commands/drivers.ts')).prices,
  remove: async () => (await import('./commands/drivers.ts')).remove,
};

const sandboxVerbs: Verbs = {
  clock: async () => (await import('./commands/sandbox/clock.ts')).clock,
  advance: async () => (await import('./commands/sandbox/clock.ts')).advance,
  scenarios: async () => (await import('./commands/sandbox/sandbox.ts')).scenarios,
  scenario: async () => (await import('./commands/sandbox/sandbox.ts')).scenario,
  steps: async () => (await import('./commands/sandbox/sandbox.ts')).steps,
  step: async () => (await import('./commands/sandbox/sandbox.ts')).step,
  provider: async () => (await import('./commands/sandbox/sandbox.ts')).provider,
  reset: async () => (await import('./commands/sandbox/sandbox.ts')).reset,
};
const profilesVerbs: Verbs = {
  list: async () => (await import('./commands/profiles.ts')).list,
  use: async () => (await import('./commands/profiles.ts')).use,
  create: async () => (await import('./commands/profiles.ts')).create,
  delete: async () => (await import('./commands/profiles.ts')).deleteProfile,
};
const configVerbs: Verbs = {
  list: async () => (await import('./commands/config.ts')).list,
  get: async () => (await import('./commands/config.ts')).get,
  set: async () => (await import('./commands/config.ts')).set,
  unset: async () => (await import('./commands/config.ts')).unset,
};

const keysVerbs: Verbs = {
  create: async () => (await import('./commands/keys.ts')).create,
  list: async () => (await import('./commands/keys.ts')).list,
  rotate: async () => (await import('./commands/keys.ts')).rotate,
  revoke: async () => (await import('./commands/keys.ts')).revoke,
};

export const adminVerbs: Verbs = {
  accounts: async () => (await import('./commands/admin.ts')).accounts,
  erase: async () => (await import('./commands/admin.ts')).erase,
  export: async () => (await import('./commands/admin.ts')).exportPerson,
  failed: async () => (await import('./commands/admin.ts')).failed,
};
// The commands of each group, in help order; each is loaded on demand.

const auditVerbs: Verbs = {
  list: async () => (await import('./commands/audit.ts')).list,
};

const secretsVerbs: Verbs = {
  status: async () => (await import('./commands/secrets.ts')).status,
  rotate: async () => (await import('./commands/secrets.ts')).rotate,
};

/** Every command of waybill. */
export const tree: CommandTree<Command> = { name: 'waybill', sections, groups, singles, bareCommand };

interface InSection {
  section: (typeof sections)[number];
}
