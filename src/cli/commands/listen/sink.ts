import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  parseSinkScript,
  type SinkAnswer,
  sinkAnswerText,
  stepAt,
} from '../../../domain/webhook-sink-script.ts';
import { eventTypeIn } from '../../nouns/event.ts';
import type { Arrived } from './lines.ts';

/** The built-in receiver of `listen --sink`. */

/** The receiver of `--sink`, which verifies nothing and responds by its script. */
export interface Sink {
  /** The listening address: `http://127.0.0.1:49152/`. */
  url: string;
  close(): Promise<void>;
}

/** An event has less than 20 kB. */
const max_body_bytes = 1_048_576;

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
