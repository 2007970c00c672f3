import { execFileSync } from 'node:child_process';
import type { WireRequest } from '../../src/contract/wire.ts';

const variables = { WAYBILL_API_KEY: 'wb_test_of_the_shell', WAYBILL_BASE_URL: 'http://127.0.0.1:4010' };
/** Says the words that it is given, and where they end. */
const curl = `curl() { for word; do printf '%s\\0' "$word"; done; printf '\\036\\0'; }`;

/** The curl commands in what was written. */
export function curlsIn(text: string): string[] {
  return text.match(/^curl \\\n(?:.*\\\n)*.*/gm) ?? [];
}

/** The requests that a shell makes of curl commands, with the key and the address of its environment. */
export function requestsIn(commands: readonly string[]): WireRequest[] {
  const script = [curl, ...commands].join('\n');
  const text = execFileSync('sh', {
    input: script,
    env: { PATH: process.env.PATH, ...variables },
    encoding: 'utf8',
  });
  const ends = text.split('\u001e\0').slice(0, -1);
  return ends.map((words) => requestOf(words.split('\0').slice(0, -1)));
}

/** What curl does with these words; throws for one that it is not known to take. */
function requestOf(words: readonly string[]): WireRequest {
  const request: WireRequest = { method: 'GET', path: '', headers: {}, body: '' };
  const left = [...words];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word.startsWith('http://')) request.path = word.slice(variables.WAYBILL_BASE_URL.length);
    else if (word === '-X') request.method = left.shift() ?? '';
    else if (word === '--data-raw') request.body = left.shift() ?? '';
    else if (word === '-H') {
      const [, name = '', value = ''] = /^([^:]+): (.*)$/s.exec(left.shift() ?? '') ?? [];
      request.headers[name] = value;
    } else if (word !== '-N') throw new Error(`curl does not know ${word}`);
  }
  return request;
}

/** The request as a shell would make it: with the key that it has. */
export function withShellKey(request: WireRequest): WireRequest {
  const { method, path, headers, body } = request;
  return { method, path, headers: { ...headers, 'x-api-key': variables.WAYBILL_API_KEY }, body };
}
