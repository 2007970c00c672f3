/** `listen`: its flags and lines. What it does stands in `listen/run-listen.ts`. */
import { BadValue, parsedTextFlag, switchFlag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { type StreamResult, streamFormats } from '../kit/result/result.ts';
import { eventShape, hintShape, typesFlag } from '../nouns/event.ts';
import { signatureHeaderFlag } from '../nouns/timed-signature.ts';
import { type Context, defineCommand, type ResultBuilder } from '../session/command.ts';
import { readPastInstant } from '../session/service-times.ts';
import { momentFlag } from '../session/time-arguments.ts';
import { BadSinkScript, parseSinkScript } from './listen/sink.ts';

export const listen = defineCommand({
  name: 'listen',
  summary: 'Forward events to a local server',
  description: [
    'Posts each event like a webhook, signed per Standard Webhooks with a secret of the profile. Events of the same',
    'delivery stay in order. While the server is down or returns 502, 503 or 504, events wait; any other error is',
    'retried after 5, 15 and 60 seconds. On the embedded service, it also runs due background work and sends to',
    'webhook endpoints. With --json each line has a type: ready, then forwarded, failed, down, up, arrived.',
  ].join('\n'),
  flags: {
    forwardTo: parsedTextFlag(readTarget, {
      summary: 'Port or URL to forward to',
      placeholder: 'URL',
      aliases: ['to', 'port'],
    }),
    sink: parsedTextFlag(readScript, {
      summary: 'Forward to a built-in receiver that answers by a script: 500x3,200',
      placeholder: 'SCRIPT',
    }),
    events: typesFlag({ summary: 'Filter by event type, comma-separated', aliases: ['types'] }),
    since: momentFlag({ isPast: true, summary: 'Start with past events, such as 10m ago' }),
    signatureHeader: signatureHeaderFlag(
      'Add a header with a signature t=...,v1=..., such as Burq-Signature',
    ),
    printSecret: switchFlag({ summary: 'Print the signing secret; on its own, print only that' }),
    skipVerify: switchFlag({ summary: 'Accept any certificate of an https server' }),
  },
  oneOf: ['forwardTo', 'sink', 'printSecret'],
  asksInstead: true,
  examples: [
    { command: 'waybill listen --forward-to 3000', summary: 'Forward to http://127.0.0.1:3000/' },
    {
      command: 'waybill listen --forward-to localhost:3000/hooks --events order.failed --since 1h',
      summary: 'Forward one type only, starting an hour ago',
    },
    { command: 'waybill listen --print-secret', summary: 'Print the secret for verifying signatures' },
    {
      command: 'waybill listen --sink 500x3,hang,200 --json',
      summary: 'Forward to a receiver that fails on purpose',
    },
  ],
  effect: 'read',
  formats: streamFormats,
  calls: ['events.stream'],
  answers: (of) => [
    of.lines(
      of.object({
        type: '"ready"',
        profile: 'string',
        mode: 'test | live',
        forward_to: 'string',
        events: of.orNull(of.listOf('string')),
        sink: of.orNull('string'),
        'secret?': 'string',
      }),
      'first',
    ),
    of.lines(of.object({ type: '"forwarded"', ...attemptFields(of) })),
    of.lines(
      of.object({
        type: '"failed"',
        ...attemptFields(of),
        reason: 'string',
        response: 'string',
        retry_in_ms: of.orNull('integer'),
      }),
    ),
    of.lines(
      of.object({ type: '"down"', url: 'string', reason: 'string' }),
      'when a server stops responding',
    ),
    of.lines(of.object({ type: '"up"', url: 'string' })),
    of.lines(
      of.object({
        type: '"arrived"',
        number: 'integer',
        event_id: of.orNull('string'),
        event_type: of.orNull('string'),
        answer: 'string',
      }),
      'with --sink',
    ),
    of.lines(of.object({ type: '"secret"', secret: 'string' }), 'with --print-secret alone'),
    of.lines(hintShape(of), 'on stderr, when a problem needs attention'),
  ],
  errors: ['unknown_field'],
  related: ['events tail', 'webhooks create', 'webhooks verify'],
  async run(context, { flags, given }) {
    const { events, sink, skipVerify, printSecret } = flags;
    if (sink !== undefined && flags.forwardTo !== undefined)
      throw new UsageError('--sink replaces --forward-to: use only one of them.', { code: 'bad_value' });
    const hasTarget = ['forwardTo', 'sink'].some((name) => given.has(name));
    const { forwardEvents } = await import('./listen/run-listen.ts');
    const { fields } = context.output;
    if (fields !== null) (await import('../help/command-facts.ts')).checkLineFields(listen, fields);
    if (printSecret && !hasTarget) return printSecretOnly(context);
    const url = flags.forwardTo ?? (hasTarget ? '' : await askTarget(context));
    const since = flags.since === undefined ? null : await readPastInstant(context, flags.since);
    return forwardEvents(context, {
      url,
      events,
      sink,
      since,
      verify: !skipVerify,
      signatureHeader: flags.signatureHeader,
      printSecret,
    });
  },
});

function attemptFields(of: ResultBuilder) {
  return {
    event: eventShape(of),
    url: 'string',
    status_code: of.orNull('integer'),
    duration_ms: 'integer',
    attempt: 'integer',
  };
}

/** Reads `3000`, `localhost:3000/hooks` or `https://shop.test/hooks` as a URL. Throws BadValue. */
export function readTarget(given: string): string {
  const typed = given.trim().replace(/^:?(\d{1,5})(?=\/|$)/, '127.0.0.1:$1');
  const isWhole = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed);
  const whole = isWhole ? typed : `http://${typed}`;
  const url = URL.parse(whole);
  // A URL parser reads a bare number as an IP address; here it is a port.
  const isNumber = /^\w+:\/+(\d+|0x[\da-f]+)(?=[:/?#]|$)/i.test(whole) || url?.port === '0';
  const isWord = !isWhole && url?.port === '' && /^(?!localhost$)[^.:]*$/.test(url.hostname);
  if (url === null || isNumber || isWord || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new BadValue(
      `must be a URL such as http://localhost:3000/hooks or a port such as 3000, not "${given}"`,
    );
  if (url.username !== '' || url.password !== '')
    throw new BadValue('must not contain a user name or password');
  url.hash = '';
  return url.href;
}

/** Checks the script of `--sink`: `500x3,200`. Throws BadValue. */
function readScript(given: string): string {
  try {
    parseSinkScript(given);
    return given;
  } catch (error) {
    if (error instanceof BadSinkScript) throw new BadValue(`cannot be read: ${error.message}`);
    throw error;
  }
}

/** Asks where to forward to; only reached in a terminal. */
async function askTarget(context: Context): Promise<string> {
  const prompts = await context.prompts();
  return readTarget(await prompts.text('Where is your server listening? (--forward-to)', { check: faultOf }));
}

function faultOf(given: string): string | null {
  try {
    readTarget(given);
    return null;
  } catch (error) {
    if (error instanceof BadValue) return `It ${error.message}.`;
    throw error;
  }
}

async function printSecretOnly(context: Context): Promise<StreamResult> {
  const { listeningSecret } = await import('./listen/run-listen.ts');
  const secret = await listeningSecret(context);
  async function* lines() {
    yield { data: { type: 'secret', secret }, line: () => secret, rows: [[secret]] };
  }
  return { kind: 'stream', lines: lines(), areFieldsKnown: true };
}
