import type { Command } from './command.ts';

/** Commands under one word: `orders create`. Loaded only when the word is typed. */
export interface Group {
  name: string;
  aliases: readonly string[];
  summary: string;
  /** Heading in the help of the root. */
  section: Section;
  load(): Promise<{ commands: readonly Command[] }>;
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

export const sections = ['Start', 'Deliveries', 'Manual flow', 'Sandbox', 'Settings', 'Service'] as const;
export type Section = (typeof sections)[number];

/** The groups, in the order of the help. Each command's file is its path: `commands/orders/create.ts`. */
export const groups: readonly Group[] = [
  {
    name: 'orders',
    aliases: ['order'],
    summary: 'What is to be delivered',
    section: 'Manual flow',
    load: () => import('./commands/orders/index.ts'),
  },
  {
    name: 'routes',
    aliases: ['route'],
    summary: "Orders grouped into a driver's run",
    section: 'Manual flow',
    load: () => import('./commands/routes/index.ts'),
  },
  {
    name: 'quotes',
    aliases: ['quote'],
    summary: 'What the providers ask for a route',
    section: 'Manual flow',
    load: () => import('./commands/quotes/index.ts'),
  },
  {
    name: 'deliveries',
    aliases: ['delivery'],
    summary: 'Where parcels are',
    section: 'Deliveries',
    load: () => import('./commands/deliveries/index.ts'),
  },
  {
    name: 'charges',
    aliases: ['charge'],
    summary: 'What was charged and given back',
    section: 'Deliveries',
    load: () => import('./commands/charges/index.ts'),
  },
  {
    name: 'stores',
    aliases: ['store'],
    summary: 'Saved pickup places',
    section: 'Deliveries',
    load: () => import('./commands/stores/index.ts'),
  },
  {
    name: 'sandbox',
    aliases: ['sim'],
    summary: 'Time, scenarios and faults on purpose',
    section: 'Sandbox',
    load: () => import('./commands/sandbox/index.ts'),
  },
  {
    name: 'profiles',
    aliases: ['profile'],
    summary: 'Places and keys to work with',
    section: 'Settings',
    load: () => import('./commands/profiles/index.ts'),
  },
  {
    name: 'keys',
    aliases: ['key', 'api-keys'],
    summary: 'API keys of the account',
    section: 'Settings',
    load: () => import('./commands/keys/index.ts'),
  },
];

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
    name: 'dispatch',
    aliases: [],
    summary: 'Hand a route to the provider of a quote',
    section: 'Manual flow',
    load: async () => ({ commands: [(await import('./commands/dispatch.ts')).dispatch] }),
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
