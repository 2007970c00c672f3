import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { streamFormats } from '../kit/output/formats.ts';
import type { Progress } from '../kit/output/progress.ts';
import { alignedRows, type Cell } from '../kit/output/rows.ts';
import { oneLine } from '../kit/output/sanitize.ts';
import { prose } from '../kit/output/width.ts';
import type { NextStep, StepObject } from '../kit/result/invocation.ts';
import { invocation } from '../kit/result/invocation.ts';
import { type Show, stream } from '../kit/result/result.ts';
import { type Context, defineCommand } from '../session/command.ts';
import type { Settings } from '../settings/settings.ts';
import { servedWhile } from './start/fleet-service.ts';
import { driver, tapLabels } from './start/fleet-steps.ts';
import { type FleetShow, fleetTour } from './start/fleet-tour.ts';
import { interruption_text, type Pause, progressAt, type TourStatus, tour } from './start/tour.ts';
import type { TourStep } from './start/tour-steps.ts';
import { isOnDesktop, openPage } from './track/local-pages.ts';

export const start = defineCommand({
  name: 'start',
  summary: 'Take a guided tour of one complete delivery',
  description: [
    'Follows a delivery from order to doorstep in about fifteen seconds. No key or network needed: couriers are',
    'simulated and the clock runs fast. Your data is not touched; the tour runs in a temporary folder that is deleted',
    "at the end. With --fleet a driver of your own carries it: the driver's page is served on this machine until the",
    'tour ends, and the taps on it are simulated.',
  ].join('\n'),
  flags: {
    fleet: flag({ summary: 'Show a driver of your own instead of couriers' }),
    open: flag({
      summary: "With --fleet: open the driver's page in the browser (default: in a terminal on a desktop)",
      negatable: true,
    }),
  },
  examples: [
    { command: 'waybill start', summary: 'Take the tour' },
    { command: 'waybill start --fleet', summary: 'Take it with a driver of your own' },
  ],
  effect: 'none',
  formats: streamFormats,
  run(context, { flags, given }) {
    if (!flags.fleet && given.has('open')) throw new UsageError('--open requires --fleet.');
    const opens = given.has('open') ? flags.open : isOnDesktop(context);
    return stream(steps(context, flags.fleet ? { opens } : null), lineOf);
  },
});

interface Ending {
  type: 'done';
  next: StepObject[];
}

const fleetNext: readonly NextStep[] = [
  { ...invocation('drivers add'), when: 'add a driver of your own, with prompts' },
  { ...invocation('serve'), when: "serve the drivers' pages and the HTTP API" },
  { ...invocation('help', ['own-drivers']), when: 'read how the pages reach the phones' },
];

const next: readonly NextStep[] = [
  {
    ...invocation('orders create'),
    when: 'create your own order in the sandbox, with prompts',
  },
  { ...invocation('sandbox scenarios'), when: 'see other outcomes and how to simulate them' },
  { ...invocation('deliveries list'), when: 'see your deliveries' },
  { ...invocation('serve'), when: 'run the service as an HTTP API' },
  { ...invocation('login'), when: 'use another service' },
];

type TourEvent = TourStep | TourStatus | Ending;

/** How the tour shows a driver of the own fleet; null for a tour with couriers. */
type FleetChoice = { opens: boolean } | null;

async function* steps(context: Context, fleet: FleetChoice): AsyncGenerator<TourEvent> {
  const { TMPDIR } = context.host.environment;
  const folder = mkdtempSync(join(TMPDIR || tmpdir(), 'waybill-start-'));
  const remove = async () => rmSync(folder, { recursive: true, force: true });
  context.onStop(remove);
  const wait = waiting(context, fleet);
  context.setInterruptionText(interruption_text);
  try {
    yield* between(events(context, { folder, fleet, wait }), wait.stop);
    const further = fleet === null ? next : fleetNext;
    yield { type: 'done', next: further.map((step) => context.stepObject(step)) };
  } finally {
    wait.stop();
    await remove();
  }
}

interface TourParts {
  folder: string;
  fleet: FleetChoice;
  wait: ReturnType<typeof waiting>;
}

function events(context: Context, { folder, fleet, wait }: TourParts): AsyncGenerator<TourStep | TourStatus> {
  if (fleet === null) return tour(context.at(ownService(folder)), wait.pause);
  const opened = async (link: string) => {
    if (fleet.opens) await openPage(context, link);
  };
  return servedWhile(context, folder, (served) => fleetTour(served, { pause: wait.tapPause, opened }));
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

/**
 * The pause before a tap, so that people can read the last status. It is longer with a browser, whose page only updates
 * from time to time.
 */
const tap_pause_ms = 1500;
const opened_pause_ms = 4000;

/** Shows the wait between two polls or taps. Accessible output has only the lines of the statuses. */
function waiting(
  context: Context,
  fleet: FleetChoice,
): { pause: Pause; tapPause: FleetShow['pause']; stop(): void } {
  let progress: Progress | null = null;
  const show = async (text: string) => {
    if (!context.output.accessible) progress ??= await context.progress(text);
    progress?.say(text);
  };
  const pause: Pause = async (delivery, now) => {
    await show(`${delivery.status}, ${Math.round(progressAt(delivery, now) * 100)} % of the way`);
    await context.sleep(pause_ms);
  };
  const tapPause: FleetShow['pause'] = async (button) => {
    if (context.output.json || !context.host.stdout.isTerminal) return;
    await show(`${driver.name} is about to tap ${button === 'duty' ? 'Go on duty' : tapLabels[button]}`);
    await context.sleep(fleet?.opens === true ? opened_pause_ms : tap_pause_ms);
  };
  const stop = () => {
    progress?.stop();
    progress = null;
  };
  return { pause, tapPause, stop };
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
  const { status, created_at, courier_name, progress, tap } = event;
  const row: Cell[] = [
    { text: show.clock(created_at) },
    { text: `${Math.round(progress * 100)} %`, paint: show.dim, isRight: true, width: '100 %'.length },
    { text: status, paint: show.status, width: statusWidth },
    { text: oneLine(courier_name ?? '') + (tap === undefined ? '' : ` taps ${tapLabels[tap]}`) },
  ];
  return alignedRows([row], { room: show.room, indent: 3 }).join('\n');
}
