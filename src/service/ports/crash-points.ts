/** The passages at which a test can end the process, as a power cut would. */
export const crashPoints = [
  'batch.before_commit',
  'batch.after_commit',
  'intent.after_write',
  'provider.before_send',
  'provider.after_accept',
  'delivery.before_commit',
  'charge.before_commit',
  'clock.between_steps',
] as const;

export type CrashPoint = (typeof crashPoints)[number];

/** No passage is named. */
export function noCrash(): void {}
