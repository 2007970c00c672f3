import type { Verbs } from '../../session/command.ts';

/** In help order; each command is loaded on demand. */
export const verbs: Verbs = {
  create: async () => (await import('./create.ts')).create,
  list: async () => (await import('./list.ts')).list,
  revoke: async () => (await import('./revoke.ts')).revoke,
};
