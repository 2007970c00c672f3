/** The reaction of a webhook sink to an attempt: it responds, hangs or resets the connection. */
export type SinkAnswer =
  | { kind: 'status'; status: number; retry_after_seconds: number | null }
  | { kind: 'hang' }
  | { kind: 'reset' };

interface SinkStep {
  answer: SinkAnswer;
  /** The number of attempts that the step applies to. */
  times: number;
}

/** An invalid script; the message names the step and the reason. */
export class BadSinkScript extends Error {
  override name = 'BadSinkScript';
}

const max_times = 1_000_000;
const max_wait_seconds = 86_400;

/**
 * Parses a script such as `500x3,429:5,hang,reset,200`: comma-separated steps, each a status, a status with the
 * seconds of its `Retry-After`, `hang` or `reset`, optionally followed by `xN` for N attempts. Throws BadSinkScript.
 */
export function parseSinkScript(text: string): SinkStep[] {
  return text.split(',').map((part, index) => stepOf(part.trim(), index + 1));
}

/** The reaction to the nth attempt, counted from 0; the last step applies to all later attempts. */
export function stepAt(steps: readonly SinkStep[], nth: number): SinkAnswer {
  let left = nth;
  for (const { answer, times } of steps) {
    if (left < times) return answer;
    left -= times;
  }
  return steps.at(-1)?.answer ?? { kind: 'status', status: 200, retry_after_seconds: null };
}

function stepOf(part: string, place: number): SinkStep {
  const bad = (reason: string) => new BadSinkScript(`step ${place} of the script, "${part}", ${reason}`);
  if (part === '') throw new BadSinkScript(`step ${place} of the script is empty`);
  const found = /^(?:(hang|reset)|(\d+)(?::(\d+))?)(?:x(\d+))?$/.exec(part);
  if (found === null) throw bad('is not STATUS, STATUS:SECONDS, hang or reset, optionally followed by xN');
  const [, word, status, seconds, times = '1'] = found;
  if (Number(times) < 1 || Number(times) > max_times) throw bad(`must be repeated 1 to ${max_times} times`);
  if (word === 'hang' || word === 'reset') return { answer: { kind: word }, times: Number(times) };
  const code = Number(status);
  if (code < 200 || code > 599) throw bad('must have a status from 200 to 599');
  const wait = seconds === undefined ? null : Number(seconds);
  if (wait !== null && wait > max_wait_seconds)
    throw bad(`must not wait longer than ${max_wait_seconds} seconds`);
  return { answer: { kind: 'status', status: code, retry_after_seconds: wait }, times: Number(times) };
}

/** Formats a reaction as in a script: `429:5`. */
export function sinkAnswerText(answer: SinkAnswer): string {
  if (answer.kind !== 'status') return answer.kind;
  const { status, retry_after_seconds: seconds } = answer;
  return seconds === null ? `${status}` : `${status}:${seconds}`;
}
