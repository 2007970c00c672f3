/** What a receiver of webhooks does with an attempt that arrives: answers, never answers, or breaks the connection. */
export type SinkAnswer =
  | { kind: 'status'; status: number; retry_after_seconds: number | null }
  | { kind: 'hang' }
  | { kind: 'reset' };

export interface SinkStep {
  answer: SinkAnswer;
  /** For so many attempts. */
  times: number;
}

/** A script that cannot be read; the message names the step and what is wrong with it. */
export class BadSinkScript extends Error {
  override name = 'BadSinkScript';
}

const mostTimes = 1_000_000;
const longestWait_seconds = 86_400;

/**
 * Reads a script such as `500x3,429:5,hang,reset,200`: steps with commas between, each a status, a status with the
 * seconds of its `Retry-After`, `hang` or `reset`, any of them `xN` for N attempts. Throws BadSinkScript.
 */
export function parseSinkScript(text: string): SinkStep[] {
  return text.split(',').map((part, index) => stepOf(part.trim(), index + 1));
}

/** What the nth attempt meets, counted from 0: the last step is for all that come after it. */
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
  if (found === null) throw bad('is none of STATUS, STATUS:SECONDS, hang and reset, each with xN or without');
  const [, word, status, seconds, times = '1'] = found;
  if (Number(times) < 1 || Number(times) > mostTimes) throw bad(`is for 1 to ${mostTimes} attempts`);
  return { answer: answerOf({ word, status, seconds }, bad), times: Number(times) };
}

interface Words {
  word: string | undefined;
  status: string | undefined;
  seconds: string | undefined;
}

function answerOf({ word, status, seconds }: Words, bad: (reason: string) => Error): SinkAnswer {
  if (word === 'hang' || word === 'reset') return { kind: word };
  const code = Number(status);
  if (code < 200 || code > 599) throw bad('has a status that ends no request: one is from 200 to 599');
  const wait = seconds === undefined ? null : Number(seconds);
  if (wait !== null && wait > longestWait_seconds)
    throw bad(`asks to wait longer than ${longestWait_seconds} seconds`);
  return { kind: 'status', status: code, retry_after_seconds: wait };
}

/** As it stands in a script: `429:5`. */
export function sinkAnswerText(answer: SinkAnswer): string {
  if (answer.kind !== 'status') return answer.kind;
  const { status, retry_after_seconds: seconds } = answer;
  return seconds === null ? `${status}` : `${status}:${seconds}`;
}
