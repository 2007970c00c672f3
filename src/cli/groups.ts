import { verbs as admin } from './commands/admin/index.ts';
import { verbs as audit } from './commands/audit/index.ts';
import { verbs as batches } from './commands/batches/index.ts';
import { verbs as charges } from './commands/charges/index.ts';
import { verbs as config } from './commands/config/index.ts';
import { verbs as couriers } from './commands/couriers/index.ts';
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
import { verbs as secrets } from './commands/secrets/index.ts';
import { verbs as stores } from './commands/stores/index.ts';
import { verbs as webhooks } from './commands/webhooks/index.ts';
import type { Group } from './kit/args/command-spec.ts';
import type { Command } from './session/command.ts';

export interface InSection {
  section: (typeof sections)[number];
}

/** The sections of help, in order. */
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
/** The command groups, in help order. Each command's file is its path: `commands/orders/create.ts`. */
export const groups: readonly (Group<Command> & InSection)[] = [
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
    name: 'couriers',
    aliases: ['courier'],
    summary: 'Connect courier companies such as Uber Direct and DoorDash Drive',
    section: 'Deliveries',
    verbs: () => couriers,
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
  {
    name: 'audit',
    aliases: [],
    summary: 'Who changed what',
    section: 'Service',
    verbs: () => audit,
  },
  {
    name: 'secrets',
    aliases: ['secret'],
    summary: 'Manage the key that encrypts stored secrets',
    section: 'Service',
    verbs: () => secrets,
  },
];
