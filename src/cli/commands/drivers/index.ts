import type { Verbs } from '../../session/command.ts';

/** In help order; each command is loaded on demand. */
export const verbs: Verbs = {
  add: async () => (await import('./add.ts')).add,
  list: async () => (await import('./list.ts')).list,
  get: async () => (await import('./get.ts')).get,
  link: async () => (await import('./link.ts')).link,
  prices: async () => (await import('./prices.ts')).prices,
  remove: async () => (await import('./remove.ts')).remove,
};
