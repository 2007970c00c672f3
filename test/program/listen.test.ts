import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { localServer } from '../cli/commands/listen/local-server.ts';
import { orderLine } from '../cli/sandbox.ts';
import { inTerminal } from './pseudo-terminal.ts';
import { freshHome, type Home, program, start, waybill } from './run.ts';

test('events of one process on the embedded service are forwarded by another', async () => {
  const home = freshHome();
  const server = await localServer();
  // Quotes must not expire before the dispatch.
  await waybill(home, 'sandbox', 'clock', 'scaled', '--rate', '60');
  const { stdout: secret } = await waybill(home, 'listen', '--print-secret');
  const listener = start(home, ['listen', '--forward-to', server.url, '--json']);
  let output = '';
  listener.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  await expect.poll(() => output, { timeout: 10_000 }).toContain('"ready"');
  const { stdout: made } = await waybill(home, ...orderLine, '-o', 'id');
  const { stdout: route } = await waybill(home, 'routes', 'create', made.trim(), '-o', 'id');
  await waybill(home, 'routes', 'quote', route.trim());
  await expect.poll(() => output, { timeout: 10_000 }).toContain('route_quotes.completed');
  expect((await waybill(home, 'dispatch', route.trim(), '--cheapest', '--yes')).exit).toBe(0);
  await waybill(home, 'sandbox', 'clock', 'scaled', '--rate', '600');
  const statuses = () => server.arrivals.map(({ body }) => JSON.parse(body).data.status);
  await expect.poll(statuses, { timeout: 20_000 }).toContain('delivered');
  const webhook = new Webhook(secret.trim());
  for (const { body, headers } of server.arrivals) webhook.verify(body, headers);
  const numbers = server.arrivals.map(({ body }) => JSON.parse(body).sequence).filter(Boolean);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  listener.kill('SIGTERM');
  await expect.poll(() => listener.signalCode, { timeout: 5_000 }).toBe('SIGTERM');
}, 60_000);

/** A shell in a terminal that prints the terminal's settings before and after a command, and its exit code. */
function inShell(home: Home, argv: readonly string[]) {
  const line = ['exec', process.execPath, program, ...argv].join(' ');
  const script = `stty -g | sed s/^/before=/; (echo pid=$BASHPID; ${line}); echo ended=$?; stty -g | sed s/^/after=/`;
  const { shown, type } = inTerminal(home, ['-c', script], { shell: 'bash' });
  return { shown, type, said: (name: string) => new RegExp(`${name}=(\\S+)`).exec(shown())?.[1] };
}

test.each([
  ['q', (type: (keys: string) => void) => type('q'), '0'],
  ['Ctrl+C', (type: (keys: string) => void) => type('\u0003'), '130'],
  ['SIGTERM', (_: unknown, pid: number) => process.kill(pid, 'SIGTERM'), '143'],
])(
  '%s leaves the terminal as it was',
  async (_, end, code) => {
    const { shown, said, type } = inShell(freshHome(), ['listen', '--sink', '200']);
    await expect.poll(shown, { timeout: 10_000 }).toMatch(/Keys: r sends/);
    end(type, Number(said('pid')));
    await expect.poll(() => said('after'), { timeout: 10_000 }).toBe(said('before'));
    expect(said('ended')).toBe(code);
    expect(shown()).toContain('\u001b[?25h');
    expect(shown()).not.toContain('^C');
  },
  20_000,
);
