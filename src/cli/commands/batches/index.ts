import type { Verbs } from '../../session/command.ts';

/** In the order of help; each is loaded for itself. */
export const verbs: Verbs = {
  list: async () => (await import('./list.ts')).list,
  get: async () => (await import('./get.ts')).get,
  wait: async () => (await import('./wait.ts')).wait,
  cancel: async () => (await import('./cancel.ts')).cancel,
};
