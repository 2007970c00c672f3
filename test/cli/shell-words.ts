import { execFileSync } from 'node:child_process';
import type { WireRequest } from '../../src/contract/operation.ts';

const variables = { WAYBILL_API_KEY: 'wb_test_of_the_shell', WAYBILL_BASE_URL: 'http://127.0.0.1:4010' };
/** Prints its words, each terminated by NUL. */
const curl = `curl() { for word; do printf '%s\\0' "$word"; done; printf '\\036\\0'; }`;

/** The curl commands in some output. */
export function curlsIn(text: string): string[] {
  return text.match(/^curl \\\n(?:.*\\\n)*.*/gm) ?? [];
}

/** The requests that a shell makes of curl commands, with the key and the URL in its environment. */
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

/** The request that curl would send; throws for an unknown option. */
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

/** The request as a shell would make it, with its own key. */
export function withShellKey(request: WireRequest): WireRequest {
  const { method, path, headers, body } = request;
  return { method, path, headers: { ...headers, 'x-api-key': variables.WAYBILL_API_KEY }, body };
}
