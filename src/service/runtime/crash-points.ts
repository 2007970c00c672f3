/** The passages at which a test can end the process, as a power cut would. */
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

/** A passage was named that there is not. */
class UnknownCrashPoint extends Error {
  override readonly name = 'UnknownCrashPoint';
}

/**
 * Ends this process with SIGKILL at the passages named: `provider.after_accept:3` is the third time that the process
 * comes by there, without a number the first; several are separated by commas. Throws `UnknownCrashPoint`.
 */
export function crashAt(text: string): (point: CrashPoint) => void {
  const left = new Map(text.split(',').map(readPassage));
  return (point) => {
    const passages = left.get(point);
    if (passages === undefined) return;
    left.set(point, passages - 1);
    if (passages === 1) process.kill(process.pid, 'SIGKILL');
  };
}

function readPassage(text: string): [CrashPoint, number] {
  const [, name, count = '1'] = /^\s*([a-z_.]+)(?::([1-9]\d*))?\s*$/.exec(text) ?? [];
  const point = crashPoints.find((each) => each === name);
  if (point !== undefined) return [point, Number(count)];
  throw new UnknownCrashPoint(
    `'${text}' is no crash point: they are ${crashPoints.join(', ')}, each with :N for its Nth passage`,
  );
}
