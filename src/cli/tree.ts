import { verbs as admin } from './commands/admin/index.ts';
import { verbs as batches } from './commands/batches/index.ts';
import { verbs as charges } from './commands/charges/index.ts';
import { verbs as config } from './commands/config/index.ts';
import { verbs as deliveries } from './commands/deliveries/index.ts';
import { verbs as disputes } from './commands/disputes/index.ts';
import { verbs as drivers } from './commands/drivers/index.ts';
import { verbs as events } from './commands/events/index.ts';
import { verbs as keys } from './commands/keys/index.ts';
import { verbs as orders } from './commands/orders/index.ts';
import { verbs as profiles } from './commands/profiles/index.ts';
import { verbs as quotes } from './commands/quotes/index.ts';
import { verbs as routes } from './commands/routes/index.ts';
import { verbs as sandbox } from './commands/sandbox/index.ts';
import { verbs as stores } from './commands/stores/index.ts';
import { verbs as webhooks } from './commands/webhooks/index.ts';
import type { CommandTree, Group, Single } from './kit/args/command-tree.ts';
import type { Command } from './session/command.ts';

interface InSection {
  section: (typeof sections)[number];
}

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
    verbs: () => orders,
  },
  {
    name: 'routes',
    aliases: ['route'],
    summary: "Group orders into a driver's route",
    section: 'Manual flow',
    verbs: () => routes,
  },
  {
    name: 'quotes',
    aliases: ['quote'],
    summary: 'Compare provider quotes for a route',
    section: 'Manual flow',
    verbs: () => quotes,
  },
  {
    name: 'batches',
    aliases: ['batch'],
    summary: 'Manage batches of auto-dispatched orders',
    section: 'Auto dispatch',
    verbs: () => batches,
  },
  {
    name: 'deliveries',
    aliases: ['delivery'],
    summary: 'Find and manage deliveries',
    section: 'Deliveries',
    verbs: () => deliveries,
  },
  {
    name: 'events',
    aliases: ['event'],
    summary: 'Read and resend events',
    section: 'Events',
    verbs: () => events,
  },
  {
    name: 'webhooks',
    aliases: ['webhook'],
    summary: 'Manage webhook endpoints',
    section: 'Events',
    verbs: () => webhooks,
  },
  {
    name: 'charges',
    aliases: ['charge'],
    summary: 'Charges and refunds',
    section: 'Deliveries',
    verbs: () => charges,
  },
  {
    name: 'disputes',
    aliases: [],
    summary: 'Disputes of deliveries and their outcomes',
    section: 'Deliveries',
    verbs: () => disputes,
  },
  {
    name: 'stores',
    aliases: ['store'],
    summary: 'Manage saved pickup locations',
    section: 'Deliveries',
    verbs: () => stores,
  },
  {
    name: 'drivers',
    aliases: ['driver', 'fleet'],
    summary: 'Manage your own drivers and the links of their pages',
    section: 'Deliveries',
    verbs: () => drivers,
  },
  {
    name: 'sandbox',
    aliases: ['sim'],
    summary: 'Control the sandbox: clock, scenarios and simulated failures',
    section: 'Sandbox',
    verbs: () => sandbox,
  },
  {
    name: 'profiles',
    aliases: ['profile'],
    summary: 'Manage profiles: saved services and keys',
    section: 'Settings',
    verbs: () => profiles,
  },
  {
    name: 'config',
    aliases: ['settings'],
    summary: 'Show effective settings and where each comes from',
    section: 'Settings',
    verbs: () => config,
  },
  {
    name: 'keys',
    aliases: ['key', 'api-keys'],
    summary: 'Manage API keys',
    section: 'Settings',
    verbs: () => keys,
  },
  {
    name: 'admin',
    aliases: [],
    summary: 'Administer the accounts and failed background work of a service',
    section: 'Service',
    verbs: () => admin,
  },
];

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
    name: 'update',
    aliases: ['upgrade'],
    summary: 'Show how to update waybill, or update it',
    section: 'Settings',
    load: async () => ({ commands: [(await import('./commands/update.ts')).update] }),
  },
  {
    name: 'uninstall',
    aliases: [],
    summary: 'Show what to run to remove waybill and its data',
    section: 'Settings',
    load: async () => ({ commands: [(await import('./commands/uninstall.ts')).uninstall] }),
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

/** Every command of waybill. */
export const tree: CommandTree<Command> = { name: 'waybill', sections, groups, singles, bareCommand };
