import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { parseSinkScript, type SinkAnswer, stepAt } from '../../../domain/sink-scripts.ts';

/** An attempt as it arrived, and the response to it. */
export interface SinkAttempt {
  /** Starts at 1. */
  number: number;
  method: string;
  path: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
  answer: SinkAnswer;
}

export interface Sink {
  /** The listening address: `http://127.0.0.1:49152/`. */
  url: string;
  /** The attempts received, in order. */
  attempts: SinkAttempt[];
  close(): Promise<void>;
}

interface SinkOptions {
  /** Called with each attempt before the response is sent. */
  received?(attempt: SinkAttempt): void;
  /** Whether to keep the attempts; a long-running sink only reports them. */
  keeps?: boolean;
}

/** An event has less than 20 kB. */
const max_body_bytes = 1_048_576;

/** Starts a receiver on a free loopback port that verifies nothing and responds by its script. Throws BadSinkScript. */
export async function startSink(script: string, { received, keeps = true }: SinkOptions = {}): Promise<Sink> {
  const steps = parseSinkScript(script);
  const attempts: SinkAttempt[] = [];
  let count = 0;
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      if (body === null) return void response.writeHead(413).end();
      const answer = stepAt(steps, count);
      count += 1;
      const attempt = attemptOf(request, { number: count, body, answer });
      if (keeps) attempts.push(attempt);
      received?.(attempt);
      reply(answer, request, response);
    });
  });
  const url = await addressOf(server);
  return { url, attempts, close: () => closeServer(server) };
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

function attemptOf(
  { method = '', url = '', headers }: IncomingMessage,
  arrived: Pick<SinkAttempt, 'number' | 'body' | 'answer'>,
): SinkAttempt {
  const flat = Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]);
  return { ...arrived, method, path: url, headers: Object.fromEntries(flat) };
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
    server.once('error', reject);
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
