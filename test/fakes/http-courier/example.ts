import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const guide = new URL('../../../src/guide/courier-protocol.md', import.meta.url);

export const exampleKey = 'key-for-tests';
export const exampleSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** The source of the courier in the guide. */
export function exampleSource(): string {
  const [, source] = /```js\n([\s\S]*?)```/.exec(readFileSync(guide, 'utf8')) ?? [];
  if (source === undefined) throw new Error('The guide has no courier');
  return source;
}

/**
 * For each case of the conformance test a change of the source that breaks exactly that demand: a text and its
 * replacement, and then perhaps further pairs.
 */
export function readBreaks(): Record<string, string[]> {
  return JSON.parse(readFileSync(new URL('broken.json', import.meta.url), 'utf8'));
}

/** Runs the courier of the guide, or a changed one, in a process of its own. */
export async function startExample(source = exampleSource(), environment: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-courier-'));
  const file = join(folder, 'courier.mjs');
  writeFileSync(file, source);
  const child = spawn(process.execPath, [file], {
    env: { PORT: '0', API_KEY: exampleKey, WEBHOOK_SECRET: exampleSecret, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [line] = await Promise.race([
    once(child.stdout, 'data'),
    exited.then(() => Promise.reject(new Error('The courier has not started'))),
  ]);
  const booked: string[] = [];
  child.stdout.on('data', (chunk) =>
    booked.push(...Array.from(String(chunk).matchAll(/^Booked (.+)$/gm), ([, id = '']) => id)),
  );
  return {
    url: String(line).trim(),
    /** The IDs of the orders that it has taken so far. */
    booked,
    close: async () => {
      child.kill();
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}
