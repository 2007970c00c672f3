import type { Verbs } from '../../session/command.ts';

/** In help order; each command is loaded on demand. */
export const verbs: Verbs = {
  create: async () => (await import('./create.ts')).create,
  list: async () => (await import('./list.ts')).list,
  get: async () => (await import('./get.ts')).get,
  wait: async () => (await import('./wait.ts')).wait,
  delete: async () => (await import('./delete.ts')).deleteRoute,
  quote: async () => (await import('./quote.ts')).quote,
};
