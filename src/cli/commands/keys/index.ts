import type { Verbs } from '../../session/command.ts';

/** In the order of help; each is loaded for itself. */
export const verbs: Verbs = {
  create: async () => (await import('./create.ts')).create,
  list: async () => (await import('./list.ts')).list,
  revoke: async () => (await import('./revoke.ts')).revoke,
};
