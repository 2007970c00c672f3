/** `stores`: saved pickup locations and their pauses. */
import type { Client } from '../../client/client.ts';
import type { Store } from '../../contract/places.ts';
import { storeKinds } from '../../contract/vocabulary.ts';
import { findZone } from '../../domain/addresses.ts';
import { sameForAll, withoutAbsent } from '../../domain/fields.ts';
import { flagLabel } from '../kit/args/command-input.ts';
import { choiceFlag, namesFlag, textFlag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { invocation, phrase } from '../kit/result/message.ts';
import { type Column, deletedFields, recordResult } from '../kit/result/result.ts';
import { readFileBytes } from '../kit/system/files.ts';
import { noteAddresses } from '../nouns/address-checks.ts';
import { findStoreId } from '../nouns/find-by-name.ts';
import { pointText } from '../nouns/order.ts';
import {
  addressFault,
  clearFlag,
  coordinateFlag,
  phoneFault,
  phoneOptions,
  undeliverableFlag,
  withCleared,
  withCountry,
} from '../nouns/order-flags.ts';
import { countOpenAt, endPause, isEndlessPause, pauseStoreUntil } from '../nouns/store-pause.ts';
import { goneText } from '../records.ts';
import { defineCommand, type FlagValues, positional } from '../session/command.ts';
import { listing, pagingFlags } from '../session/listing.ts';
import { momentFlag } from '../session/time-arguments.ts';

/** How a store is named on the command line. */
const storeWord = "Store's name, or ID: str_…";

const nameOptions = {
  summary: 'Contact at the pickup location',
  placeholder: 'NAME',
  question: 'Contact name at the pickup location',
};
const addressOptions = {
  summary: 'Address on one line: street, city, state, ZIP',
  placeholder: 'ADDRESS',
  question: 'Address (street, city, state, ZIP)',
  check: addressFault,
};
const optionalFlags = {
  provider: namesFlag({
    summary:
      'Only ask these providers for its orders, unless an order names others, in order of preference: a,b',
    aliases: ['providers'],
  }),
  latitude: coordinateFlag('latitude'),
  longitude: coordinateFlag('longitude'),
  undeliverableAction: undeliverableFlag(),
  unit: textFlag({ summary: 'Unit or floor' }),
  notes: textFlag({ summary: 'Notes for the courier' }),
  supportPhoneNumber: textFlag({
    summary: 'Phone number shown to recipients on the tracking page',
    placeholder: 'PHONE',
    aliases: ['support-phone'],
    check: phoneFault,
  }),
  logo: textFlag({
    summary: 'Logo on the tracking page: an https URL, or a PNG, JPEG, GIF, WebP or SVG file of up to 48 kB',
    placeholder: 'URL|FILE',
  }),
  kind: choiceFlag({
    summary: 'What it sells: food that is not handed over goes back to the kitchen, other things to the shop',
    choices: storeKinds,
  }),
};

const newStoreFlags = {
  name: textFlag({ ...nameOptions, required: true }),
  address: textFlag({ ...addressOptions, required: true }),
  phoneNumber: textFlag({ ...phoneOptions, required: true }),
  ...optionalFlags,
};

export const createStore = defineCommand({
  name: 'create',
  aliases: ['add', 'new'],
  summary: 'Save a pickup location',
  flags: newStoreFlags,
  examples: [
    {
      command:
        "waybill stores create --name Grill --address '43 E Ohio St, Chicago, IL 60611' --phone +13125550101",
      summary: 'Save a pickup location',
    },
  ],
  effect: 'write',
  calls: ['stores.create', 'stores.get'],
  answers: ({ one }) => [one('stores.create')],
  related: ['stores list', 'orders create'],
  async run(context, { flags: { name, address, phoneNumber, ...others } }) {
    await noteAddresses(context, { address });
    const client = await context.client();
    const answer = await client.stores.create({
      body: {
        name,
        address,
        phone_number: withCountry(phoneNumber),
        ...optionalFieldsOf(others, context.host.folder),
      },
      idempotencyKey: context.idempotencyKey(),
    });
    const { data } = answer;
    const gone = await goneText(answer, (store_id) => client.stores.get({ params: { store_id } }));
    const next = invocation('orders create', [], { store: data.id });
    return recordResult(data, storeColumns, { notes: [gone ?? phrase`Use it as the pickup: ${next}`] });
  },
});

function storeZoneOf({ address }: Store) {
  return findZone(address);
}

const storeColumns: readonly Column<Store>[] = [
  { field: 'id', header: 'ID', kind: 'id', isFoundByEnd: true },
  { field: 'name', header: 'Name', kind: 'text' },
  { field: 'address', header: 'Address', kind: 'text', prose: true },
  {
    field: 'precision',
    header: 'Place',
    kind: 'text',
    wide: true,
    only: 'people',
    unlessEmpty: true,
    value: ({ latitude, longitude, precision }) => pointText(latitude, longitude, precision),
  },
  { field: 'latitude', header: 'Latitude', kind: 'text', wide: true, only: 'programs' },
  { field: 'longitude', header: 'Longitude', kind: 'text', wide: true, only: 'programs' },
  { field: 'precision', header: 'Precision', kind: 'text', wide: true, only: 'programs' },
  { field: 'unit', header: 'Unit', kind: 'text', spare: 1 },
  { field: 'phone_number', header: 'Phone', kind: 'phone', spare: 2 },
  { field: 'notes', header: 'Notes', kind: 'text', wide: true },
  { field: 'undeliverable_action', header: 'If undeliverable', kind: 'text', wide: true },
  { field: 'support_phone_number', header: 'Support phone', kind: 'phone', wide: true },
  {
    field: 'paused',
    header: 'Paused',
    kind: 'text',
    only: 'people',
    unlessEmpty: true,
    value: ({ paused_until }) => (isEndlessPause(paused_until) ? 'until it is resumed' : ''),
  },
  {
    field: 'paused_until',
    header: 'Paused until',
    kind: 'time',
    only: 'people',
    unlessEmpty: true,
    value: ({ paused_until }) => (isEndlessPause(paused_until) ? '' : (paused_until ?? '')),
    zone: storeZoneOf,
  },
  { field: 'paused_until', header: 'Paused until', kind: 'time', wide: true, only: 'programs' },
  {
    field: 'providers',
    header: 'Providers',
    kind: 'text',
    wide: true,
    unlessEmpty: true,
    value: ({ providers }) => providers?.join(', ') ?? '',
  },
  { field: 'logo', header: 'Logo', kind: 'text', wide: true, value: ({ logo }) => logoText(logo) },
  { field: 'kind', header: 'Kind', kind: 'text', wide: true },
  { field: 'test_mode', header: 'Test mode', kind: 'text', wide: true },
  { field: 'created_at', header: 'Created', kind: 'time', wide: true, zone: storeZoneOf },
  { field: 'updated_at', header: 'Updated', kind: 'time', wide: true, zone: storeZoneOf },
];

export const listStores = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List saved pickup locations, newest first',
  flags: pagingFlags,
  examples: [{ command: 'waybill stores list', summary: 'List pickup locations' }],
  columns: storeColumns,
  effect: 'read',
  answers: ({ each }) => [each('stores.list')],
  related: ['stores create', 'stores get'],
  async run(context, { flags }) {
    const client = await context.client();
    return listing(context, {
      list: client.stores.list,
      query: {},
      paging: flags,
      columns: storeColumns,
      command: invocation('stores list'),
      filters: {},
      empty: 'No stores found.',
      start: phrase`No stores yet. Save a pickup location: ${invocation('stores create')}`,
    });
  },
});

export const getStore = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show a saved pickup location',
  positionals: { store: positional('store', { summary: storeWord }) },
  examples: [{ command: 'waybill stores get STORE', summary: 'Show its address, phone and notes' }],
  columns: storeColumns,
  effect: 'read',
  calls: ['stores.get', 'stores.list'],
  answers: ({ one }) => [one('stores.get')],
  related: ['stores update', 'stores list'],
  async run(context, { positionals }) {
    const client = await context.client();
    const store_id = await findStoreId(context, positionals.store);
    const { data } = await client.stores.get({ params: { store_id } });
    return recordResult(data, storeColumns);
  },
});

const storeChangeFlags = {
  name: textFlag(nameOptions),
  address: textFlag(addressOptions),
  phoneNumber: textFlag(phoneOptions),
  ...optionalFlags,
  clear: clearFlag(['unit', 'notes', 'support-phone-number', 'logo', 'provider']),
};

export const updateStore = defineCommand({
  name: 'update',
  aliases: ['edit', 'set'],
  summary: 'Change a saved pickup location',
  description: 'Existing records keep the old values; --provider applies to each dispatch from now on.',
  positionals: { store: positional('store', { summary: storeWord }) },
  flags: storeChangeFlags,
  examples: [
    {
      command: "waybill stores update STORE --notes 'Door at the back'",
      summary: 'Change the notes for couriers',
    },
    {
      command:
        'waybill stores update STORE --logo https://shop.example/logo.png --support-phone +13125550100',
      summary: 'Show a logo and a phone number on tracking pages',
    },
    { command: 'waybill stores update STORE --clear notes', summary: 'Clear the notes' },
    {
      command: 'waybill stores update STORE --provider swiftly,poolride',
      summary: 'Only ask these couriers for its orders, and no longer send them to another one',
    },
  ],
  effect: 'write',
  oneOf: [
    'name',
    'address',
    'latitude',
    'longitude',
    'undeliverableAction',
    'phoneNumber',
    'unit',
    'notes',
    'supportPhoneNumber',
    'logo',
    'kind',
    'provider',
    'clear',
  ],
  calls: ['stores.update', 'stores.get', 'stores.list', 'orders.list', 'deliveries.list'],
  answers: ({ one }) => [one('stores.update')],
  related: ['stores get', 'stores delete'],
  async run(context, { flags, positionals }) {
    const body = storeChangesOf(flags, context.host.folder);
    if (Object.keys(body).length === 0) {
      const choices = Object.keys(storeChangeFlags).map(flagLabel);
      throw new UsageError('Specify at least one change.', { code: 'missing_input', choices });
    }
    const client = await context.client();
    const store_id = await findStoreId(context, positionals.store);
    const { data: before } = await client.stores.get({ params: { store_id } });
    const { data } = await client.stores.update({ params: { store_id }, body });
    const changed = Object.keys(body).map((field) => field.replaceAll('_', ' ') + wasText(before, field));
    return recordResult(data, storeColumns, {
      notes: [`Changed: ${changed.join(', ')}.`, ...(await keptNotes(client, store_id, body))],
    });
  },
});

/** ` (was "Ring twice")`: the text that a change replaced, as it is kept nowhere else; not of what is masked. */
function wasText({ name, address, unit, notes }: Store, field: string): string {
  const was = new Map(Object.entries({ name, address, unit, notes })).get(field);
  return was ? ` (was "${oneLine(was)}")` : '';
}

/** The fields of a store that an order copies when it is created. */
const copiedFields = ['name', 'address', 'phone_number', 'unit', 'notes', 'undeliverable_action'];

/** Says how many open orders keep what they have copied of the changed fields. */
async function keptNotes(client: Client, store_id: string, body: object): Promise<string[]> {
  if (!copiedFields.some((field) => Object.hasOwn(body, field))) return [];
  const { unsent, active } = await countOpenAt(client, store_id);
  const count = unsent + active;
  if (count === 0) return [];
  return [`${count} open ${count === 1 ? 'order keeps' : 'orders keep'} what was copied before.`];
}

export const pauseStore = defineCommand({
  name: 'pause',
  aliases: ['close'],
  summary: 'Dispatch nothing from a store for a while',
  description: [
    'Orders are still taken: those of auto dispatch wait with their retry window, and say why; the others can be',
    'dispatched once the pause is over. Deliveries under way go on.',
  ].join('\n'),
  positionals: { store: positional('store', { summary: storeWord }) },
  flags: {
    until: momentFlag({
      summary: "When it ends, in the store's zone, or a duration such as 30m (default: with stores resume)",
      aliases: ['paused-until', 'for'],
    }),
  },
  flagHints: sameForAll(
    ['--from', '--at', '--since', '--start'],
    phrase`A pause begins at once. Run this at that time: ${invocation('stores pause', ['STORE'])}`,
  ),
  meantByWord: (until, [store = 'STORE', ...words]) =>
    invocation('stores pause', [store], { until: words.join(' ') || until }),
  examples: [
    { command: 'waybill stores pause STORE', summary: 'Until it is resumed' },
    { command: 'waybill stores pause STORE --until 30m', summary: 'For half an hour' },
    { command: 'waybill stores pause STORE --until 9pm', summary: 'Until a time' },
  ],
  effect: 'write',
  calls: ['stores.update', 'stores.get', 'stores.list', 'orders.list', 'deliveries.list'],
  answers: ({ one }) => [one('stores.update')],
  related: ['stores resume', 'orders list', 'deliveries list'],
  async run(context, { flags: { until }, positionals: { store } }) {
    const data = await pauseStoreUntil(context, store, until);
    const { unsent, active } = await countOpenAt(await context.client(), data.id);
    const wait = unsent === 1 ? '1 order that is not sent waits' : `${unsent} orders that are not sent wait`;
    const goOn = active === 1 ? '1 delivery under way goes on' : `${active} deliveries under way go on`;
    const resume = invocation('stores resume', [store]);
    return recordResult(data, storeColumns, {
      notes: [phrase`Nothing is dispatched from it: ${wait}, and ${goOn}. Resume it: ${resume}`],
    });
  },
});

export const resumeStore = defineCommand({
  name: 'resume',
  aliases: ['open'],
  summary: 'Dispatch from a paused store again',
  description: 'Orders of auto dispatch that have waited are tried again at their next interval.',
  positionals: { store: positional('store', { summary: storeWord }) },
  examples: [{ command: 'waybill stores resume STORE', summary: 'End its pause' }],
  effect: 'write',
  calls: ['stores.update', 'stores.list'],
  answers: ({ one }) => [one('stores.update')],
  related: ['stores pause', 'stores get'],
  async run(context, { positionals: { store } }) {
    const data = await endPause(context, store);
    return recordResult(data, storeColumns, { notes: [`${oneLine(data.name)} is open.`] });
  },
});

export const deleteStore = defineCommand({
  name: 'delete',
  aliases: ['rm', 'remove'],
  summary: 'Delete a saved pickup location',
  description: 'Existing records keep the old address.',
  positionals: { store: positional('store', { summary: storeWord }) },
  examples: [{ command: 'waybill stores delete STORE --yes', summary: 'Delete without a prompt' }],
  effect: 'write',
  confirms: () => true,
  calls: ['stores.delete', 'stores.list'],
  answers: ({ one }) => [one('stores.delete')],
  related: ['stores list'],
  async run(context, { positionals: { store } }) {
    const store_id = await findStoreId(context, store);
    const named = store === store_id ? store : `${store} (${store_id})`;
    if (!context.globals.dryRun) await context.confirm(`Delete store ${named}?`);
    const client = await context.client();
    const { data } = await client.stores.delete({ params: { store_id } });
    return recordResult(data, deletedFields);
  },
});

/** A logo as people read it: a URL as it is, `png image, 12 kB` for a data URL. */
function logoText(logo: string): string {
  const [, type, image = ''] = /^data:image\/([a-z+]+);base64,(.*)$/.exec(logo) ?? [];
  return type === undefined ? logo : `${type} image, ${Math.ceil((image.length * 3) / 4 / 1024)} kB`;
}

type Changes = FlagValues<typeof storeChangeFlags>;

/** The fields that a new or a changed store takes from these flags. */
function optionalFieldsOf(flags: Pick<Changes, keyof typeof optionalFlags>, folder: string) {
  const { latitude, longitude, unit, notes, undeliverableAction, supportPhoneNumber, logo, kind, provider } =
    flags;
  return withoutAbsent({
    providers: provider.length === 0 ? undefined : provider,
    latitude,
    longitude,
    unit,
    notes,
    undeliverable_action: undeliverableAction,
    support_phone_number: supportPhoneNumber && withCountry(supportPhoneNumber),
    logo: logo && logoOf(logo, folder),
    kind,
  });
}

/** The changes given by flags, in the form of the contract. */
function storeChangesOf({ name, address, phoneNumber, clear, ...others }: Changes, folder: string) {
  const phone_number = phoneNumber && withCountry(phoneNumber);
  const given = { ...withoutAbsent({ name, address, phone_number }), ...optionalFieldsOf(others, folder) };
  const { provider, ...changes }: { provider?: string } & typeof given = withCleared(given, clear);
  return provider === undefined ? changes : { ...changes, providers: [] };
}

/** The largest logo whose data URL the service accepts. */
const max_logo_bytes = 48 * 1024;

/** The kinds of images that a logo may be, with their first bytes in Latin-1. */
const imageTypes: readonly [type: string, start: RegExp][] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  [
    'image/svg+xml',
    /^(\xef\xbb\xbf)?\s*(<\?xml[\s\S]*?\?>\s*|<!--[\s\S]*?-->\s*|<!doctype[^>]*>\s*)*<svg[\s>]/i,
  ],
];

/**
 * The logo for the service: a URL as it is, and the data URL of a file. UsageError if the file is not such an image.
 */
function logoOf(given: string, folder: string): string {
  if (/^(https?|data):/i.test(given)) return given;
  const bytes = readFileBytes(given, folder);
  const [type] = imageTypes.find(([, start]) => start.test(bytes.toString('latin1'))) ?? [];
  if (type === undefined) throw new UsageError(`${given} is not a PNG, JPEG, GIF, WebP or SVG image.`);
  if (bytes.length > max_logo_bytes) {
    throw new UsageError(`${given} has ${Math.ceil(bytes.length / 1024)} kB; a logo may have up to 48 kB.`, {
      hint: 'Make the image smaller, or pass the https URL of one.',
    });
  }
  return `data:${type};base64,${bytes.toString('base64')}`;
}
