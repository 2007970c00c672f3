/** The points at which a test can end the process, like a power failure. */
export const crashPoints = [
  'batch.before_commit',
  'batch.after_commit',
  'intent.after_write',
  'provider.before_send',
  'provider.after_accept',
  'delivery.before_commit',
  'charge.before_commit',
  'webhook.before_send',
  'webhook.after_send',
  'clock.between_steps',
] as const;

export type CrashPoint = (typeof crashPoints)[number];

class UnknownCrashPoint extends Error {
  override readonly name = 'UnknownCrashPoint';
}

/**
 * Ends this process with SIGKILL at crash points: `provider.after_accept:3` is the third passage, without a number
 * the first; several are comma-separated. Throws `UnknownCrashPoint`.
 */
export function crashAt(text: string): (point: CrashPoint) => void {
  const remaining = new Map(text.split(',').map(readPassage));
  return (point) => {
    const passages = remaining.get(point);
    if (passages === undefined) return;
    remaining.set(point, passages - 1);
    if (passages === 1) process.kill(process.pid, 'SIGKILL');
  };
}

function readPassage(text: string): [CrashPoint, number] {
  const [, name, count = '1'] = /^\s*([a-z_.]+)(?::([1-9]\d*))?\s*$/.exec(text) ?? [];
  const point = crashPoints.find((each) => each === name);
  if (point !== undefined) return [point, Number(count)];
  throw new UnknownCrashPoint(
    `'${text}' is not a crash point: they are ${crashPoints.join(', ')}, each with :N for its Nth passage`,
  );
}
