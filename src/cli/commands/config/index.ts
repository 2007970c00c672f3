import type { Verbs } from '../../session/command.ts';

/** In the order of help; each is loaded for itself. */
export const verbs: Verbs = {
  list: async () => (await import('./list.ts')).list,
  get: async () => (await import('./get.ts')).get,
  set: async () => (await import('./set.ts')).set,
  unset: async () => (await import('./unset.ts')).unset,
};
