import type { Command } from './command.ts';
import { verbs as admin } from './commands/admin/index.ts';
import { verbs as batches } from './commands/batches/index.ts';
import { verbs as charges } from './commands/charges/index.ts';
import { verbs as config } from './commands/config/index.ts';
import { verbs as deliveries } from './commands/deliveries/index.ts';
import { verbs as events } from './commands/events/index.ts';
import { verbs as keys } from './commands/keys/index.ts';
import { verbs as orders } from './commands/orders/index.ts';
import { verbs as profiles } from './commands/profiles/index.ts';
import { verbs as quotes } from './commands/quotes/index.ts';
import { verbs as routes } from './commands/routes/index.ts';
import { verbs as sandbox } from './commands/sandbox/index.ts';
import { verbs as stores } from './commands/stores/index.ts';
import { verbs as webhooks } from './commands/webhooks/index.ts';

/** The commands of a group by their names, each loaded only when it is typed. */
export type Verbs = Readonly<Record<string, () => Promise<Command>>>;

/** What is typed by its name, or by another. */
export interface Named {
  name: string;
  aliases: readonly string[];
}

/** The one with this name or alias. */
export function named<T extends Named>(all: readonly T[], word: string): T | undefined {
  return all.find(({ name }) => name === word) ?? all.find(({ aliases }) => aliases.includes(word));
}

/** Commands under one word: `orders create`. */
export interface Group {
  name: string;
  aliases: readonly string[];
  summary: string;
  /** Heading in the help of the root. */
  section: Section;
  /** Made when asked for: a line names one group. */
  verbs(): Verbs;
}

/** All commands of a group, in the order of help. */
export async function commandsOf({ verbs }: Pick<Group, 'verbs'>): Promise<Command[]> {
  return Promise.all(Object.values(verbs()).map((load) => load()));
}

/** A command of one word: `whoami`. */
export interface Single {
  name: string;
  aliases: readonly string[];
  summary: string;
  section: Section;
  /** The exported command of its file, in a list of one. */
  load(): Promise<{ commands: readonly [Command] }>;
}

export const sections = [
  'Start',
  'Deliveries',
  'Manual flow',
  'Auto dispatch',
  'Events',
  'Sandbox',
  'Settings',
  'Service',
] as const;
export type Section = (typeof sections)[number];

/** The groups, in the order of the help. Each command's file is its path: `commands/orders/create.ts`. */
export const groups: readonly Group[] = [
  {
    name: 'orders',
    aliases: ['order'],
    summary: 'What is to be delivered',
    section: 'Manual flow',
    verbs: () => orders,
  },
  {
    name: 'routes',
    aliases: ['route'],
    summary: "Orders grouped into a driver's run",
    section: 'Manual flow',
    verbs: () => routes,
  },
  {
    name: 'quotes',
    aliases: ['quote'],
    summary: 'What the providers ask for a route',
    section: 'Manual flow',
    verbs: () => quotes,
  },
  {
    name: 'batches',
    aliases: ['batch'],
    summary: 'Orders that the service dispatches by itself',
    section: 'Auto dispatch',
    verbs: () => batches,
  },
  {
    name: 'deliveries',
    aliases: ['delivery'],
    summary: 'Where parcels are',
    section: 'Deliveries',
    verbs: () => deliveries,
  },
  {
    name: 'events',
    aliases: ['event'],
    summary: 'What happened, as merchants are told',
    section: 'Events',
    verbs: () => events,
  },
  {
    name: 'webhooks',
    aliases: ['webhook'],
    summary: 'Where events are sent to, and what came of it',
    section: 'Events',
    verbs: () => webhooks,
  },
  {
    name: 'charges',
    aliases: ['charge'],
    summary: 'What was charged and given back',
    section: 'Deliveries',
    verbs: () => charges,
  },
  {
    name: 'stores',
    aliases: ['store'],
    summary: 'Saved pickup places',
    section: 'Deliveries',
    verbs: () => stores,
  },
  {
    name: 'sandbox',
    aliases: ['sim'],
    summary: 'Time, scenarios and faults on purpose',
    section: 'Sandbox',
    verbs: () => sandbox,
  },
  {
    name: 'profiles',
    aliases: ['profile'],
    summary: 'Places and keys to work with',
    section: 'Settings',
    verbs: () => profiles,
  },
  {
    name: 'config',
    aliases: ['settings'],
    summary: 'What holds for a command, and what says so',
    section: 'Settings',
    verbs: () => config,
  },
  {
    name: 'keys',
    aliases: ['key', 'api-keys'],
    summary: 'API keys of the account',
    section: 'Settings',
    verbs: () => keys,
  },
  {
    name: 'admin',
    aliases: [],
    summary: 'Look after the service and its background work',
    section: 'Service',
    verbs: () => admin,
  },
];

/** The command that a line without one runs, where a person can be asked, and where flags of it are typed. */
export const bareCommand = 'new';

/** The commands of one word. */
export const singles: readonly Single[] = [
  {
    name: 'start',
    aliases: [],
    summary: 'A whole delivery, explained as it goes, on a service of its own',
    section: 'Start',
    load: async () => ({ commands: [(await import('./commands/start.ts')).start] }),
  },
  {
    name: 'new',
    aliases: ['wizard'],
    summary: 'A delivery in five steps, asked for one after the other; `waybill` alone, in a terminal',
    section: 'Start',
    load: async () => ({ commands: [(await import('./commands/new.ts')).create] }),
  },
  {
    name: 'ship',
    aliases: [],
    summary: 'Order, route, quotes and dispatch in one line',
    section: 'Start',
    load: async () => ({ commands: [(await import('./commands/ship.ts')).ship] }),
  },
  {
    name: 'dispatch',
    aliases: [],
    summary: 'Hand a route to the provider of a quote',
    section: 'Manual flow',
    load: async () => ({ commands: [(await import('./commands/dispatch.ts')).dispatch] }),
  },
  {
    name: 'listen',
    aliases: [],
    summary: 'Forward events to a server on this machine as they happen',
    section: 'Events',
    load: async () => ({ commands: [(await import('./commands/listen.ts')).listen] }),
  },
  {
    name: 'track',
    aliases: [],
    summary: "A delivery's tracking page, for its recipient",
    section: 'Deliveries',
    load: async () => ({ commands: [(await import('./commands/track.ts')).track] }),
  },
  {
    name: 'serve',
    aliases: ['server'],
    summary: 'Run the service for others, until it is told to stop',
    section: 'Service',
    load: async () => ({ commands: [(await import('./commands/serve.ts')).serve] }),
  },
  {
    name: 'doctor',
    aliases: [],
    summary: 'Look for what is wrong on this machine and at the service',
    section: 'Start',
    load: async () => ({ commands: [(await import('./commands/doctor.ts')).doctor] }),
  },
  {
    name: 'login',
    aliases: ['signin'],
    summary: 'Store a key in a profile, after asking the service about it',
    section: 'Settings',
    load: async () => ({ commands: [(await import('./commands/login.ts')).login] }),
  },
  {
    name: 'logout',
    aliases: ['signout'],
    summary: 'Forget the key of a profile',
    section: 'Settings',
    load: async () => ({ commands: [(await import('./commands/logout.ts')).logout] }),
  },
  {
    name: 'whoami',
    aliases: ['status', 'me'],
    summary: 'The profile in use, its mode, and whose key it has',
    section: 'Settings',
    load: async () => ({ commands: [(await import('./commands/whoami.ts')).whoami] }),
  },
  {
    name: 'completion',
    aliases: ['completions'],
    summary: 'Let a shell complete commands, flags and ids',
    section: 'Settings',
    load: async () => ({ commands: [(await import('./commands/completion.ts')).completion] }),
  },
  {
    name: 'api',
    aliases: ['request'],
    summary: 'Call the interface directly',
    section: 'Service',
    load: async () => ({ commands: [(await import('./commands/api.ts')).api] }),
  },
  {
    name: 'openapi',
    aliases: ['spec'],
    summary: 'The description of the interface, OpenAPI 3.1',
    section: 'Service',
    load: async () => ({ commands: [(await import('./commands/openapi.ts')).openapi] }),
  },
  {
    name: 'commands',
    aliases: [],
    summary: 'Every command with its flags, as JSON',
    section: 'Service',
    load: async () => ({ commands: [(await import('./commands/commands.ts')).commands] }),
  },
  {
    name: 'help',
    aliases: [],
    summary: 'Help on a command, or on exit-codes, environment, output, scenarios',
    section: 'Service',
    load: async () => ({ commands: [(await import('./commands/help.ts')).help] }),
  },
];
