import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { httpTransport } from '../../src/client/http.ts';
import { Probe, startReceiver } from './probe.ts';
import { type CaseResult, runCases } from './run-cases.ts';

// Tests whether a server follows the courier protocol (`src/guide/courier-protocol.md`), and prints a line for each case:
//   npm run check:courier -- URL --settings settings.json [--callback-url URL] [--callback-port PORT] [--json]
// The file has `api_key`, one for tests, as deliveries are booked, simulated and canceled, and `webhook_secret`, without
// which the cases of events are skipped. Events are received on this machine; for a server elsewhere, --callback-url names an
// address that leads here. Exit code 1 if a case fails.

/** From the first byte of a request to the last one of its response. */
const request_timeout_ms = 10_000;
/** How long a courier may take to post an event, or to repeat it. */
const event_timeout_ms = 15_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    settings: { type: 'string' },
    'callback-url': { type: 'string' },
    'callback-port': { type: 'string' },
    json: { type: 'boolean' },
  },
});
const [url] = positionals;
if (url === undefined || values.settings === undefined) {
  throw new Error(
    'Give the address of the server, and --settings with a JSON file of api_key and webhook_secret.',
  );
}
const settings: Record<string, string> = JSON.parse(readFileSync(values.settings, 'utf8'));

function timer(ms: number, expired: () => void): () => void {
  const handle = setTimeout(expired, ms);
  return () => clearTimeout(handle);
}

const transport = httpTransport({
  baseUrl: url,
  requestTimeout_ms: request_timeout_ms,
  timer,
  environment: process.env,
});
const callbackUrl = values['callback-url'] ?? null;
const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
const receiver =
  callbackUrl !== null || isHere
    ? await startReceiver({
        port: Number(values['callback-port'] ?? 0),
        url: callbackUrl,
        timeout_ms: event_timeout_ms,
        timer,
      })
    : null;
const probe = new Probe({
  transport,
  apiKey: settings.api_key ?? '',
  webhookSecret: settings.webhook_secret ?? '',
  callbacks: receiver,
  run: randomUUID().replaceAll('-', '').slice(0, 12),
  now: Date.now,
});
const results: CaseResult[] = [];
try {
  for await (const result of runCases(probe)) {
    results.push(result);
    const { status, case: name, demand, found } = result;
    const line = `${status.padEnd(7)} ${name}: ${demand}${found === '' ? '' : ` (${found})`}`;
    process.stdout.write(`${values.json ? JSON.stringify(result) : line}\n`);
  }
} finally {
  await Promise.all([transport.close(), receiver?.close()]);
}
const count = (wanted: CaseResult['status']) => results.filter(({ status }) => status === wanted).length;
console.error(
  `${count('passed')} of ${results.length} cases passed, ${count('failed')} failed, ${count('skipped')} were skipped.`,
);
process.exitCode = count('failed') > 0 ? 1 : 0;
