import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Context, defineCommand } from '../command.ts';
import { repeatedly } from '../exchange/waiting.ts';
import { type Show, stream } from '../result.ts';
import type { Settings } from '../settings/settings.ts';
import { tour } from '../tour/tour.ts';
import type { TourStep } from '../tour/tour-steps.ts';

export const start = defineCommand({
  name: 'start',
  summary: 'A whole delivery, explained as it goes, on a service of its own',
  description: [
    'It takes a few seconds and needs no key and no network: the couriers are simulated. Your own data is not',
    'touched; the service lives in a temporary folder and is gone at the end.',
  ].join('\n'),
  examples: [{ command: 'waybill start', summary: 'See what this program does' }],
  effect: 'none',
  run: (context) => stream(steps(context), lineOf),
});

interface Ending {
  type: 'done';
  next: { command: string; when: string }[];
}

const next = [
  {
    command: 'waybill orders create',
    when: 'make one of your own, in the sandbox; it asks for what it needs',
  },
  { command: 'waybill deliveries list', when: 'see your deliveries' },
  { command: 'waybill serve', when: 'run the service for programs, over HTTP' },
  { command: 'waybill login', when: 'work with another service' },
];

async function* steps(context: Context): AsyncGenerator<TourStep | Ending> {
  const { TMPDIR } = context.host.environment;
  const folder = mkdtempSync(join(TMPDIR || tmpdir(), 'waybill-start-'));
  const remove = async () => rmSync(folder, { recursive: true, force: true });
  context.onStop(remove);
  context.standing('This was a tour on a service of its own: nothing of it stays.');
  try {
    const client = await context.connect(ownService(folder));
    const looks = <T>(look: () => Promise<T>) =>
      repeatedly(look, context, { timeout_ms: undefined, waitFirst: true });
    yield* tour({ client, looks });
    yield { type: 'done', next };
  } finally {
    await remove();
  }
}

/** Nothing of the person's own: neither profile, nor key, nor data. */
function ownService(folder: string): Settings {
  return {
    name: 'start',
    nameOrigin: 'default',
    profile: null,
    file: join(folder, 'profiles.json'),
    target: { kind: 'embedded', file: join(folder, 'waybill.db') },
    apiKey: null,
    keyOrigin: 'default',
    mode: 'test',
  };
}

function lineOf(event: TourStep | Ending, show: Show): string {
  if (event.type === 'done') {
    const lines = event.next.map(({ command, when }) => `  ${command.padEnd(24)} ${show.dim(when)}`);
    return ['That was a whole delivery; the service it was made on is gone now. Next:', ...lines].join('\n');
  }
  const { step, title, about, command, happened } = event;
  return [
    `${step}. ${title}`,
    `   ${show.dim(about)}`,
    `   $ ${command}`,
    ...happened.map((line) => `   ${line}`),
    '',
  ].join('\n');
}
