import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Host } from '../kit/host/host.ts';
import { streamFormats } from '../kit/output/formats.ts';
import type { Progress } from '../kit/output/progress.ts';
import { alignedRows, type Cell } from '../kit/output/rows.ts';
import { oneLine, prose } from '../kit/output/sanitize.ts';
import { invocation, type NextStep, quoted, type StepObject } from '../kit/result/message.ts';
import { type Show, stream } from '../kit/result/result.ts';
import { type Context, defineCommand } from '../session/command.ts';
import type { Settings } from '../settings/settings.ts';
import {
  interruption_text,
  type Pause,
  progressAt,
  type TourStatus,
  type TourStep,
  tour,
} from './start/tour.ts';

export const start = defineCommand({
  name: 'start',
  summary: 'Take a guided tour of one complete delivery',
  description: [
    'Follows a delivery from order to doorstep in about fifteen seconds. No key or network needed: couriers are',
    'simulated and the clock runs fast. Your data is not touched; the tour runs in a temporary folder that is deleted',
    'at the end.',
  ].join('\n'),
  examples: [{ command: 'waybill start', summary: 'Take the tour' }],
  effect: 'none',
  formats: streamFormats,
  answers: ({ lines, object, listOf, orNull }) => [
    lines(
      object({
        type: '"step" | "status" | "done"',
        'step?': 'integer',
        'title?': 'string',
        'about?': 'string',
        'command?': 'string',
        'happened?': listOf('string'),
        'data?': 'object',
        'delivery_id?': 'string',
        'status?': 'a status',
        'created_at?': 'time',
        'courier_name?': orNull('string'),
        'progress?': 'number',
        'next?': listOf(object({ command: 'string', args: listOf('string'), when: 'string' })),
      }),
    ),
  ],
  exits: { 8: 'the delivery did not finish in time', 9: 'the delivery ended unsuccessfully' },
  related: ['orders create', 'ship', 'drivers add', 'serve'],
  run(context) {
    return stream(steps(context), lineOf);
  },
});

interface Ending {
  type: 'done';
  next: StepObject[];
}

/** Commands that work as they are printed, without the tour's service. */
function nextSteps({ interactive }: Context): NextStep[] {
  const help = { help: true } as const;
  return [
    interactive
      ? { ...invocation('orders create'), when: 'create your own order, with prompts' }
      : { ...invocation('orders create', [], help), when: 'see the flags for your own order' },
    { ...invocation('sandbox scenarios'), when: 'see other outcomes and how to simulate them' },
    { ...invocation('serve'), when: 'run the service as an HTTP API' },
    { ...invocation('login', [], help), when: 'see how another service is used' },
  ];
}

type TourEvent = TourStep | TourStatus | Ending;

/** In a clone whose program is not on the PATH: the line that puts it there. */
function pathSteps({ environment, platform, program }: Host): StepObject[] {
  const folder = dirname(program);
  const isClone = platform !== 'win32' && existsSync(join(dirname(folder), 'src'));
  const folders = (environment.PATH ?? '').split(delimiter);
  if (!isClone || folders.some((each) => existsSync(join(each, 'waybill')))) return [];
  return [{ args: [], command: `PATH=${quoted(folder)}:$PATH`, when: 'use waybill in this shell' }];
}

async function* steps(context: Context): AsyncGenerator<TourEvent> {
  const { TMPDIR } = context.host.environment;
  const folder = mkdtempSync(join(TMPDIR || tmpdir(), 'waybill-start-'));
  const remove = async () => rmSync(folder, { recursive: true, force: true });
  context.onStop(remove);
  const wait = waiting(context);
  context.setInterruptionText(interruption_text);
  try {
    yield* between(tour(context.at(ownService(folder)), wait.pause), wait.stop);
    const further = nextSteps(context).map((step) => context.stepObject(step));
    yield { type: 'done', next: [...pathSteps(context.host), ...further] };
  } finally {
    wait.stop();
    await remove();
  }
}

/** Yields events, clearing the spinner before each. */
async function* between<T>(events: AsyncIterable<T>, stop: () => void): AsyncGenerator<T> {
  for await (const event of events) {
    stop();
    yield event;
  }
}

/** The time between two polls of the delivery. */
const pause_ms = 300;

/** Shows the wait between two polls. Accessible output has only the lines of the statuses. */
function waiting(context: Context): { pause: Pause; stop(): void } {
  let progress: Progress | null = null;
  const show = async (text: string) => {
    if (!context.output.accessible) progress ??= await context.progress(text);
    progress?.say(text);
  };
  const pause: Pause = async (delivery, now) => {
    await show(`${delivery.status}, ${Math.round(progressAt(delivery, now) * 100)} % of the way`);
    await context.sleep(pause_ms);
  };
  const stop = () => {
    progress?.stop();
    progress = null;
  };
  return { pause, stop };
}

/** A service without the profile, the key and the data of the user. */
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

function lineOf(event: TourEvent, show: Show): string {
  return event.type === 'status' ? statusLine(event, show) : prose(stepText(event, show), show.room);
}

function stepText(event: Exclude<TourEvent, TourStatus>, show: Show): string {
  if (event.type === 'done') {
    const rows = event.next.map(({ command, when }) => [{ text: command }, { text: when, paint: show.dim }]);
    const head = '\nThat was a complete delivery. Its temporary service was deleted. Next:';
    return [head, ...alignedRows(rows, { room: show.room })].join('\n');
  }
  const { step, title, about, command, happened } = event;
  const lines = [`${step}. ${title}`, `   ${show.dim(about)}`, `   $ ${command}`];
  return [...(step === 1 ? [] : ['']), ...lines, ...happened.map((line) => `   ${line}`)].join('\n');
}

/** The width of the longest status of the tour. */
const statusWidth = 'arrived_at_dropoff'.length;

function statusLine(event: TourStatus, show: Show): string {
  const { status, created_at, courier_name, progress } = event;
  const row: Cell[] = [
    { text: show.clock(created_at) },
    { text: `${Math.round(progress * 100)} %`, paint: show.dim, isRight: true, width: '100 %'.length },
    { text: status, paint: show.status, width: statusWidth },
    { text: oneLine(courier_name ?? '') },
  ];
  return alignedRows([row], { room: show.room, indent: 3 }).join('\n');
}
