import type { Formatters } from '../../../../src/cli/kit/result/result.ts';

/** Shows every value as it is, and of a time the hour and the minute. */
export const plainShow: Formatters = {
  inZone: () => plainShow,
  ...{ money: String, time: String, status: String, dim: String, strong: String, warning: String },
  ...{ phone: String, email: String, plotCharset: null, room: null, now: 0 },
  clock: (iso) => iso.slice(11, 16),
  at: (iso) => `at ${iso.slice(11, 16)}`,
};
