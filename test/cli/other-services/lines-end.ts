import { expect } from 'vitest';
import { categoryOf } from '../../../src/cli/errors/error-codes.ts';
import { freshHome, waybill } from '../harness.ts';
import { type Ids, linesOf } from './lines.ts';

/** Lines that end when they are interrupted. */
const endless: readonly string[] = ['events tail', 'listen'];

/**
 * Logs in to a service that answers with examples, and runs the line of each command: it ends, with a
 * documented exit code that is no fault of the program.
 */
export async function expectLinesToEnd(url: string, ids: Ids): Promise<void> {
  const home = freshHome();
  const login = ['login', '--base-url', url, '--with-token', '--insecure-storage'];
  expect(await waybill(login, { home, stdin: 'key_1' })).toMatchObject({ exit: 0 });
  for (const [name, { argv, ...options }] of Object.entries(linesOf(ids, home))) {
    const { exit, stderr } = await waybill([...argv, '--request-timeout', '3s'], {
      home,
      ...(endless.includes(name) && { signal: AbortSignal.timeout(300) }),
      ...options,
    });
    expect([name, exit, stderr]).toEqual([name, exit, expect.not.stringContaining('fault of waybill')]);
    expect([name, categoryOf(exit)]).not.toEqual([name, 'internal']);
  }
}
