/** The built-in receiver of `listen --sink`, and the script that it answers by. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { eventTypeIn } from '../../nouns/event.ts';
import type { Arrived } from './lines.ts';

/** The receiver of `--sink`, which verifies nothing and responds by its script. */
export interface Sink {
  /** The listening address: `http://127.0.0.1:49152/`. */
  url: string;
  close(): Promise<void>;
}

/** An event has less than 20 kB. */
const max_body_bytes = 1_048_576;
const max_times = 1_000_000;
const max_wait_seconds = 86_400;

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

/** Starts a sink on a free loopback port. It prints each attempt before its response is sent. Throws BadSinkScript. */
export async function startSink(script: string, print: (line: Arrived) => void): Promise<Sink> {
  const steps = parseSinkScript(script);
  let count = 0;
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      if (body === null) return void response.writeHead(413).end();
      const answer = stepAt(steps, count);
      count += 1;
      print({
        type: 'arrived',
        number: count,
        event_id: request.headersDistinct['webhook-id']?.join(', ') ?? null,
        event_type: eventTypeIn(body),
        answer: sinkAnswerText(answer),
      });
      reply(answer, request, response);
    });
  });
  const url = await addressOf(server);
  return { url, close: () => closeServer(server) };
}

/** Null if it is too long for an event; never resolves if the request was aborted. */
function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= max_body_bytes) chunks.push(chunk);
  });
  return new Promise((resolve) => {
    request.on('end', () => resolve(length > max_body_bytes ? null : Buffer.concat(chunks).toString('utf8')));
  });
}

function reply(answer: SinkAnswer, request: IncomingMessage, response: ServerResponse): void {
  if (answer.kind === 'reset') request.socket.resetAndDestroy();
  if (answer.kind !== 'status') return;
  const { status, retry_after_seconds: seconds } = answer;
  response.writeHead(status, seconds === null ? {} : { 'retry-after': String(seconds) });
  response.end();
}

function addressOf(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    // Also later: a connection that cannot be accepted, because too many files are open, ends nothing.
    server.on('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      resolve(`http://127.0.0.1:${port}/`);
    });
  });
}

/** Resolves when the server is closed, even if requests were left unanswered. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/**
 * Parses a script such as `500x3,429:5,hang,reset,200`: comma-separated steps, each a status, a status with the
 * seconds of its `Retry-After`, `hang` or `reset`, optionally followed by `xN` for N attempts. Throws BadSinkScript.
 */
export function parseSinkScript(text: string): SinkStep[] {
  return text.split(',').map((part, index) => stepOf(part.trim(), index + 1));
}

/** The reaction to the nth attempt, counted from 0; the last step applies to all later attempts. */
export function stepAt(steps: readonly SinkStep[], nth: number): SinkAnswer {
  let later = nth;
  for (const { answer, times } of steps) {
    if (later < times) return answer;
    later -= times;
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
