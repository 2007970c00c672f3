import type { Verbs } from '../../session/command.ts';

/** In help order; each command is loaded on demand. */
export const verbs: Verbs = {
  create: async () => (await import('./create.ts')).create,
  list: async () => (await import('./list.ts')).list,
  get: async () => (await import('./get.ts')).get,
  update: async () => (await import('./update.ts')).update,
  delete: async () => (await import('./delete.ts')).deleteStore,
};
