import { groups, type InSection, sections } from './groups.ts';
import type { CommandTree, Single } from './kit/args/input.ts';
import type { Command } from './session/command.ts';

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
    name: 'board',
    aliases: [],
    summary: "Show the dispatcher's board: deliveries by state, late ones first, and drivers on a map",
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

/** Every command of waybill. */
export const tree: CommandTree<Command> = { name: 'waybill', sections, groups, singles, bareCommand };
