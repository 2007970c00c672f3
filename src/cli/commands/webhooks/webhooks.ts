/** The commands that create, show, change, test and delete webhook endpoints. */
import type { Client } from '../../../client/client.ts';
import { ifSupported } from '../../../client/errors.ts';
import type { NewWebhookEndpoint, WebhookEndpoint } from '../../../contract/events.ts';
import {
  endpointStatuses,
  ordinaryEventTypes,
  type SubscribableType,
  subscribableTypes,
} from '../../../contract/vocabulary.ts';
import { withoutAbsent } from '../../../domain/fields.ts';
import { flagLabel } from '../../kit/args/command-input.ts';
import {
  choiceFlag,
  choicesFlag,
  type Flag,
  listFlag,
  readChoice,
  switchFlag,
  textFlag,
} from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { requireFieldShown } from '../../kit/output/json-fields.ts';
import { invocation, phrase, type Text, timePart } from '../../kit/result/message.ts';
import { type Column, deletedFields, recordResult } from '../../kit/result/result.ts';
import { sendersNotes } from '../../nouns/event.ts';
import { goneText } from '../../records.ts';
import { type Context, defineCommand, type FlagValues, positional } from '../../session/command.ts';
import { inShownZone, shownZone } from '../../session/list-view.ts';
import { listing, pagingFlags } from '../../session/listing.ts';
import { attemptResult } from './attempts.ts';

const beginnings = [...new Set(ordinaryEventTypes.map((type) => `${type.split('.')[0]}.*`))];
const patterns: readonly string[] = [...subscribableTypes, ...beginnings];

const endpointFlags = {
  events: eventsFlag(),
  description: textFlag({ summary: 'Description to recognize it by' }),
};

export const create = defineCommand({
  name: 'create',
  aliases: ['add', 'new'],
  summary: 'Create a webhook endpoint (its secret is shown once)',
  description: [
    'Test and live mode have separate endpoints. Without --events the endpoint receives every event type except',
    'opt-in ones (delivery.location_updated). Messages are signed per Standard Webhooks: verify them with any of its',
    'libraries or with `waybill webhooks verify`.',
  ].join('\n'),
  positionals: {
    url: positional('text', {
      summary: 'URL, such as https://shop.example/hooks',
      optional: (given) => given.has('url'),
    }),
  },
  flags: { url: textFlag({ summary: 'Same as URL' }), ...endpointFlags },
  examples: [
    { command: 'waybill webhooks create https://shop.example/hooks', summary: 'Subscribe to every event' },
    {
      command: 'waybill webhooks create https://shop.example/hooks --events delivery.updated,order.failed',
      summary: 'Subscribe to two event types',
    },
    {
      command: 'waybill webhooks create https://shop.example/hooks --jq .secret > secret.txt',
      summary: 'Save its secret to a file for --secret-file',
    },
  ],
  effect: 'write',
  calls: ['webhooks.create', 'webhooks.get', 'webhooks.list'],
  answers: ({ one }) => [one('webhooks.create')],
  related: ['webhooks test', 'webhooks verify', 'webhooks list', 'listen'],
  async run(context, { flags, positionals }) {
    requireFieldShown(context, 'secret');
    const { events, description } = flags;
    const url = urlOf(positionals.url, flags.url);
    const client = await context.client();
    const answer = await client.webhooks.create({
      body: { url, ...withoutAbsent({ events: events.length === 0 ? undefined : events, description }) },
      idempotencyKey: context.idempotencyKey(),
    });
    const { data } = answer;
    const gone = await goneText(answer, (id) => client.webhooks.get({ params: { webhook_endpoint_id: id } }));
    if (gone !== null) return recordResult(data, newWebhookColumns, { notes: [gone] });
    const testCommand = invocation('webhooks test', [data.id]);
    return recordResult(data, newWebhookColumns, {
      notes: [
        ...secretNotes(data),
        ...(await sameUrlNotes(client, data)),
        ...sendersNotes(context),
        phrase`Test it: ${testCommand}`,
      ],
    });
  },
});

/** A repeat with its idempotency key has none: it was shown before. */
function secretNotes({ secret }: NewWebhookEndpoint): Text[] {
  return secret === null ? [] : ['Save this secret now. It will not be shown again.'];
}

/** Says that other endpoints have the same URL, which gets each event once for each of them. */
async function sameUrlNotes(client: Client, { id, url }: NewWebhookEndpoint): Promise<Text[]> {
  const listed = client.webhooks.list({ query: { status: ['enabled'], limit: 100 } });
  const endpoints = await ifSupported(
    listed.then(({ data }) => data.data),
    [],
  );
  const others = endpoints.filter((each) => each.url === url && each.id !== id);
  const ids = others.map((each) => each.id).join(', ');
  const list = invocation('webhooks list');
  const have = others.length === 1 ? 'has' : 'have';
  return ids === '' ? [] : [phrase`${ids} ${have} this URL, too: it gets events once for each. See: ${list}`];
}

/** The URL from the argument or the flag, given once. */
function urlOf(word: string | undefined, flagged: string | undefined): string {
  const [url, other] = [word ?? flagged, flagged ?? word];
  if (url !== undefined && url === other) return url;
  throw new UsageError('Specify the URL once, as an argument or with --url.', { missing: ['URL'] });
}

const webhookColumns: readonly Column<WebhookEndpoint>[] = [
  { field: 'id', header: 'ID', kind: 'id' },
  { field: 'url', header: 'URL', kind: 'text' },
  { field: 'status', header: 'Status', kind: 'status' },
  { field: 'events', header: 'Events', kind: 'text', prose: true, spare: 2 },
  { field: 'waiting', header: 'Waiting', kind: 'count', spare: 3 },
  { field: 'exhausted', header: 'Given up', kind: 'count', spare: 4 },
  { field: 'description', header: 'Description', kind: 'text', prose: true, spare: 1, unlessEmpty: true },
  { field: 'disabled_reason', header: 'Disabled as', kind: 'text', wide: true },
  { field: 'previous_secret_until', header: 'Old secret until', kind: 'time', wide: true },
  { field: 'test_mode', header: 'Test mode', kind: 'text', wide: true },
  { field: 'created_at', header: 'Created', kind: 'time', wide: true },
  { field: 'updated_at', header: 'Updated', kind: 'time', wide: true },
];

export const listEndpoints = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List webhook endpoints, newest first',
  flags: {
    status: choicesFlag({
      summary: 'Filter by status',
      choices: endpointStatuses,
      placeholder: 'STATUSES',
    }),
    ...pagingFlags,
  },
  flagHints: {
    '--failed': phrase`Did you mean ${invocation('webhooks attempts', [], { failed: true })}?`,
  },
  examples: [
    { command: 'waybill webhooks list', summary: 'List endpoints with queued and exhausted events' },
    { command: 'waybill webhooks list --status disabled', summary: 'List disabled endpoints' },
  ],
  columns: webhookColumns,
  effect: 'read',
  calls: ['webhooks.list', 'deliveries.list'],
  answers: ({ each }) => [each('webhooks.list')],
  related: ['webhooks get', 'webhooks create'],
  async run(context, { flags }) {
    const { status } = flags;
    const client = await context.client();
    return listing(context, {
      list: client.webhooks.list,
      query: { status },
      paging: flags,
      columns: webhookColumns,
      zone: await shownZone(context),
      command: invocation('webhooks list'),
      filters: { status: status?.join(',') },
      empty: 'No webhook endpoints found.',
      start: phrase`No webhook endpoints yet. Create one: ${invocation('webhooks create', ['URL'])}`,
    });
  },
});

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show a webhook endpoint (without its secret)',
  positionals: { endpoint: positional('webhook_endpoint', { summary: 'Endpoint ID' }) },
  examples: [{ command: 'waybill webhooks get ENDPOINT', summary: 'Show its URL, events and status' }],
  columns: webhookColumns,
  effect: 'read',
  calls: ['webhooks.get', 'deliveries.list'],
  answers: ({ one }) => [one('webhooks.get')],
  related: ['webhooks attempts', 'webhooks update', 'webhooks test'],
  async run(context, { positionals }) {
    const client = await context.client();
    const { data } = await client.webhooks.get({ params: { webhook_endpoint_id: positionals.endpoint } });
    return recordResult(data, await inShownZone(context, webhookColumns), { notes: nextNotes(data) });
  },
});

/** What is to be done about an endpoint that does not receive its events. */
function nextNotes({ id, status, waiting, exhausted }: WebhookEndpoint): Text[] {
  const enable = invocation('webhooks update', [id], { enable: true });
  const failed = invocation('webhooks attempts', [id], { failed: true });
  const givenUp = invocation('webhooks attempts', [id], { exhausted: true });
  return [
    ...(status === 'disabled' ? [phrase`Disabled: nothing is sent. Enable it: ${enable}`] : []),
    ...(status === 'enabled' && waiting > 0 ? [phrase`See queued events and why: ${failed}`] : []),
    ...(exhausted > 0 ? [phrase`See exhausted events and why: ${givenUp}`] : []),
  ];
}

const changeFlags = {
  url: textFlag({ summary: 'URL to send events to' }),
  ...endpointFlags,
  enable: switchFlag({ summary: 'Enable the endpoint and send queued events' }),
  disable: switchFlag({ summary: 'Disable the endpoint; events are queued' }),
  clear: choiceFlag({ summary: 'Clear a field', choices: ['description'], placeholder: 'FIELD' }),
};

export const update = defineCommand({
  name: 'update',
  aliases: ['edit', 'set'],
  summary: 'Update, enable or disable a webhook endpoint',
  description: [
    'While an endpoint is disabled, events are queued for 83 hours; they are sent when you enable it again, except',
    'those that are older by then. --events replaces all previous event types.',
  ].join('\n'),
  positionals: { endpoint: positional('webhook_endpoint', { summary: 'Endpoint ID' }) },
  flags: changeFlags,
  examples: [
    { command: 'waybill webhooks update ENDPOINT --url https://shop.example/new', summary: 'Change the URL' },
    { command: "waybill webhooks update ENDPOINT --events '*'", summary: 'Subscribe to every event' },
    { command: 'waybill webhooks update ENDPOINT --enable', summary: 'Enable it again' },
  ],
  effect: 'write',
  oneOf: ['url', 'events', 'description', 'enable', 'disable', 'clear'],
  answers: ({ one }) => [one('webhooks.update')],
  related: ['webhooks get', 'webhooks delete'],
  async run(context, { flags, positionals }) {
    const body = changesOf(flags);
    const client = await context.client();
    const { data } = await client.webhooks.update({
      params: { webhook_endpoint_id: positionals.endpoint },
      body,
    });
    return recordResult(data, webhookColumns, {
      notes: body.status === undefined ? [] : statusNotes(context, data),
    });
  },
});

function statusNotes(context: Context, { id, status, waiting, exhausted }: WebhookEndpoint): Text[] {
  const enable = invocation('webhooks update', [id], { enable: true });
  if (status !== 'enabled') return [phrase`Nothing is sent until you enable it: ${enable}`];
  const list = invocation('webhooks attempts', [id], { exhausted: true });
  const resend = invocation('events resend', ['EVENT'], { endpoint: id });
  const queued = waiting === 1 ? 'one queued event' : `${waiting} queued events`;
  return [
    ...(waiting === 0 ? [] : [`Sending ${queued}.`, ...sendersNotes(context)]),
    ...(exhausted === 0
      ? []
      : [phrase`Exhausted: ${exhausted}, listed by \`${list}\`. To resend one: ${resend}`]),
  ];
}

export const rotateSecret = defineCommand({
  name: 'rotate-secret',
  aliases: ['rotate'],
  summary: 'Rotate the signing secret of a webhook endpoint (shown once)',
  description: [
    'The previous secret stays valid for 24 hours: messages carry both signatures, and receivers need only one to',
    'match.',
  ].join('\n'),
  positionals: { endpoint: positional('webhook_endpoint', { summary: 'Endpoint ID' }) },
  examples: [
    { command: 'waybill webhooks rotate-secret ENDPOINT', summary: 'Rotate after a prompt' },
    {
      command: 'waybill webhooks rotate-secret ENDPOINT --yes --jq .secret > secret.txt',
      summary: 'Save the secret to a file for --secret-file',
    },
  ],
  effect: 'write',
  confirms: () => true,
  answers: ({ one }) => [one('webhooks.rotate')],
  related: ['webhooks verify', 'webhooks get'],
  async run(context, { positionals: { endpoint } }) {
    requireFieldShown(context, 'secret');
    const question = `Rotate the secret of ${endpoint}? The current one stays valid for 24 more hours.`;
    if (!context.globals.dryRun) await context.confirm(question);
    const client = await context.client();
    const { data } = await client.webhooks.rotate({
      params: { webhook_endpoint_id: endpoint },
      idempotencyKey: context.idempotencyKey(),
    });
    const { previous_secret_until: until } = data;
    const old = until === null ? [] : [phrase`The previous secret stays valid ${timePart(until, 'until')}.`];
    return recordResult(data, newWebhookColumns, {
      notes: [...secretNotes(data), ...old],
    });
  },
});

export const test = defineCommand({
  name: 'test',
  aliases: ['ping', 'try'],
  summary: 'Send a test event to a webhook endpoint',
  description: [
    'Sends webhook.test once, without retries, and shows the attempt. The exit code is 9 if the endpoint did not',
    'accept it.',
  ].join('\n'),
  positionals: {
    endpoint: positional('webhook_endpoint', {
      summary: 'Endpoint ID; without one, the only endpoint that there is',
      optional: true,
    }),
  },
  examples: [
    { command: 'waybill webhooks test ENDPOINT', summary: 'Test an endpoint' },
    { command: 'waybill webhooks test ENDPOINT && echo "it listens"', summary: 'In a script' },
  ],
  effect: 'write',
  calls: ['webhooks.test', 'webhooks.list'],
  answers: ({ one }) => [one('webhooks.test')],
  exits: { 9: 'the endpoint did not accept the event' },
  errors: ['webhook_attempt_failed'],
  related: ['webhooks attempts', 'webhooks verify'],
  async run(context, { positionals: { endpoint } }) {
    const client = await context.client();
    const webhook_endpoint_id = endpoint ?? (await onlyEndpoint(client));
    const progress = await context.progress('Waiting for the endpoint');
    const { data } = await client.webhooks
      .test({ params: { webhook_endpoint_id }, idempotencyKey: context.idempotencyKey() })
      .finally(() => progress.stop());
    return attemptResult(data);
  },
});

/** The only endpoint of the account. UsageError if there are several, or none. */
async function onlyEndpoint(client: Client): Promise<string> {
  const ids = (await client.webhooks.list({ query: { limit: 10 } })).data.data.map(({ id }) => id);
  const [only] = ids;
  if (only !== undefined && ids.length === 1) return only;
  throw new UsageError(
    only === undefined ? 'There is no webhook endpoint to test.' : 'Specify which webhook endpoint to test.',
    {
      code: 'missing_input',
      choices: ids,
      next: [
        only === undefined
          ? { ...invocation('webhooks create', ['URL']), when: 'create one' }
          : { ...invocation('webhooks list'), when: 'see them' },
      ],
    },
  );
}

export const deleteWebhook = defineCommand({
  name: 'delete',
  aliases: ['rm', 'remove'],
  summary: 'Delete a webhook endpoint with its attempts and queued events',
  description: 'To keep queued events for later, disable it instead: `waybill webhooks update --disable`.',
  positionals: { endpoint: positional('webhook_endpoint', { summary: 'Endpoint ID' }) },
  examples: [{ command: 'waybill webhooks delete ENDPOINT --yes', summary: 'Delete without a prompt' }],
  effect: 'write',
  confirms: () => true,
  answers: ({ one }) => [one('webhooks.delete')],
  related: ['webhooks update', 'webhooks list'],
  async run(context, { positionals: { endpoint } }) {
    const question = `Delete webhook endpoint ${endpoint} and its queued events?`;
    if (!context.globals.dryRun) await context.confirm(question);
    const client = await context.client();
    const { data } = await client.webhooks.delete({ params: { webhook_endpoint_id: endpoint } });
    return recordResult(data, deletedFields);
  },
});

/** The columns of an endpoint with its secret, which is shown only once. */
const newWebhookColumns: readonly Column<NewWebhookEndpoint>[] = [
  { field: 'secret', header: 'Secret', kind: 'text', value: ({ secret }) => secret ?? 'shown before' },
  ...webhookColumns,
];

/** `--events order.failed,batch.completed`, or repeated. */
function eventsFlag(): Flag<SubscribableType[]> {
  const summary = "Event types, comma-separated, or 'delivery.*'; '*' is every type except opt-in ones";
  const read = (texts: readonly string[]) => texts.flatMap((given) => given.split(',').flatMap(typesMeant));
  return {
    ...listFlag({ summary, placeholder: 'TYPES' }),
    choices: patterns,
    read: (texts) => [...new Set(read(texts))],
    absent: () => [],
  };
}

/** The types that a pattern stands for; the API accepts no pattern except `*`. */
function typesMeant(given: string): SubscribableType[] {
  const pattern = readChoice(given.trim(), patterns);
  const beginning = pattern.endsWith('.*') ? pattern.slice(0, -1) : null;
  return beginning === null
    ? subscribableTypes.filter((type) => type === pattern)
    : ordinaryEventTypes.filter((type) => type.startsWith(beginning));
}

type Changes = FlagValues<typeof changeFlags>;

/** The changes given by flags, in the form of the contract; UsageError without any, and if they conflict. */
function changesOf({ url, events, description, enable, disable, clear }: Changes) {
  if (enable && disable) throw contradiction('enable', 'disable');
  if (clear !== undefined && description !== undefined) throw contradiction('clear', 'description');
  const body = withoutAbsent({
    url,
    events: events.length === 0 ? undefined : events,
    description: clear === undefined ? description : '',
    status: statusFor(enable, disable),
  });
  if (Object.keys(body).length > 0) return body;
  const choices = Object.keys(changeFlags).map(flagLabel);
  throw new UsageError('Specify at least one change.', { code: 'missing_input', choices });
}

function statusFor(enable: boolean, disable: boolean) {
  if (enable) return 'enabled' as const;
  return disable ? ('disabled' as const) : undefined;
}

function contradiction(one: string, other: string): UsageError {
  return new UsageError(`${flagLabel(one)} and ${flagLabel(other)} cannot be used together.`);
}
