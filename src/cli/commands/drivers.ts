/** `drivers`: own drivers and the links of their pages: adding, listing, changing and removing. */
import { encode } from 'uqr';
import { isThisMachine } from '../../client/addresses.ts';
import { ApiError } from '../../client/errors.ts';
import { allRecords } from '../../client/pages.ts';
import type { Account } from '../../contract/accounts.ts';
import type { Driver, LinkedDriver } from '../../contract/providers.ts';
import { driverVehicles } from '../../contract/vocabulary.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import { stepsText } from '../errors/error-codes.ts';
import { choiceFlag, moneyFlag, optionalSwitchFlag, textFlag } from '../kit/args/flags.ts';
import { Failure } from '../kit/errors/failure.ts';
import { requireFieldShown } from '../kit/output/json-fields.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { invocation, phrase, type Text } from '../kit/result/message.ts';
import {
  type Column,
  type DrawingResult,
  deletedFields,
  drawingResult,
  type Formatters,
  isForPeople,
  recordResult,
} from '../kit/result/result.ts';
import { handoverSteps } from '../nouns/delivery-steps.ts';
import { driverWord, findDriverId } from '../nouns/find-by-name.ts';
import { findOrderId, orderWord } from '../nouns/find-order.ts';
import { phoneOptions, withCountry } from '../nouns/order-flags.ts';
import { type Context, defineCommand, positional } from '../session/command.ts';
import { inShownZone, shownZone } from '../session/list-view.ts';
import { listing, pagingFlags } from '../session/listing.ts';

const withoutAskingSummary =
  'Give deliveries without an offer to accept or decline, such as to employed drivers';

export const add = defineCommand({
  name: 'add',
  aliases: ['create', 'new'],
  summary: 'Add a driver of your own, and show the link for their phone (once)',
  description: [
    "The link opens the driver's page: today's stops, one large button for each step, and the driver's position. It",
    'needs no app and no password, so keep it secret.',
  ].join('\n'),
  positionals: { name: positional('text', { summary: 'Name that recipients see' }) },
  flags: {
    phoneNumber: textFlag({ ...phoneOptions, required: true }),
    vehicleType: choiceFlag({
      choices: driverVehicles,
      summary: 'Vehicle (default: car)',
      aliases: ['vehicle'],
    }),
    assignWithoutAsking: optionalSwitchFlag({ summary: withoutAskingSummary }),
  },
  examples: [
    { command: "waybill drivers add 'Sam Lee' --phone +13125550133", summary: 'Add a driver with a car' },
    {
      command: "waybill drivers add 'Ana Ruiz' --phone +13125550134 --vehicle bicycle",
      summary: 'Add a driver on a bicycle',
    },
  ],
  effect: 'write',
  answers: ({ one }) => [one('drivers.create')],
  related: ['drivers list', 'drivers link'],
  async run(context, { positionals: { name }, flags: { phoneNumber, vehicleType, assignWithoutAsking } }) {
    requireFieldShown(context, 'link');
    const client = await context.client();
    const { data } = await client.drivers.create({
      body: {
        name,
        phone_number: withCountry(phoneNumber),
        ...withoutAbsent({ vehicle_type: vehicleType, assign_without_asking: assignWithoutAsking }),
      },
      idempotencyKey: context.idempotencyKey(),
    });
    return linkResult(data, `Added ${data.name}`);
  },
});

const onTheRoad = invocation('deliveries list', [], {
  active: true,
  columns: 'driver,driver_phone,ref,items',
});

const driverColumns: readonly Column<Driver>[] = [
  { field: 'id', header: 'ID', kind: 'id' },
  { field: 'name', header: 'Name', kind: 'text' },
  { field: 'on_duty', header: 'On duty', kind: 'text', value: ({ on_duty }) => (on_duty ? 'yes' : 'no') },
  { field: 'stops_left', header: 'Stops left', kind: 'count' },
  { field: 'would_arrive_at', header: 'Would arrive', kind: 'time', unlessEmpty: true },
  {
    field: 'location.recorded_at',
    header: 'Position as of',
    kind: 'time',
    spare: 2,
    value: ({ location }) => location?.recorded_at,
  },
  {
    field: 'location',
    header: 'Position',
    kind: 'text',
    spare: 1,
    unlessEmpty: true,
    value: ({ location }) => location && `${location.lat},${location.lng}`,
  },
  { field: 'vehicle_type', header: 'Vehicle', kind: 'text', wide: true },
  { field: 'assign_without_asking', header: 'Without asking', kind: 'text', wide: true },
  { field: 'phone_number', header: 'Phone', kind: 'phone', wide: true },
  { field: 'test_mode', header: 'Test mode', kind: 'text', wide: true },
  { field: 'created_at', header: 'Created', kind: 'time', wide: true },
  { field: 'updated_at', header: 'Updated', kind: 'time', wide: true },
];

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List your own drivers: on duty, stops left, and last position',
  flags: {
    ...pagingFlags,
    for: textFlag({
      summary: `When each would bring this order: ${orderWord}`,
      placeholder: 'ORDER',
      aliases: ['for-id'],
    }),
  },
  flagHints: {
    '--on-duty': phrase`Did you mean ${invocation('drivers list')}? It says who is on duty.`,
    '--at-store': phrase`Did you mean ${invocation('deliveries list', [], { status: 'arrived_at_pickup' })}?`,
  },
  examples: [
    { command: 'waybill drivers list', summary: 'See who is on duty, and where' },
    { command: "waybill drivers list --for '#1042'", summary: 'See who would be there first' },
  ],
  columns: driverColumns,
  effect: 'read',
  calls: ['drivers.list', 'orders.list', 'deliveries.get', 'deliveries.list'],
  answers: ({ each }) => [each('drivers.list')],
  related: ['drivers add', 'drivers link'],
  async run(context, { flags }) {
    const client = await context.client();
    const query = flags.for === undefined ? {} : { for_id: await findOrderId(context, flags.for) };
    return listing(context, {
      list: client.drivers.list,
      query,
      paging: flags,
      columns: driverColumns,
      zone: await shownZone(context),
      command: invocation('drivers list'),
      filters: { for: flags.for },
      empty: phrase`No drivers of your own found. Add one: ${invocation('drivers add')}`,
      notes: () =>
        isForPeople(context.output.format)
          ? [phrase`Those of couriers, who are on the road now: ${onTheRoad}`]
          : [],
    });
  },
});

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show one of your drivers',
  positionals: { driver: positional('driver', { summary: driverWord }) },
  examples: [{ command: 'waybill drivers get DRIVER', summary: 'Show phone, stops and position' }],
  columns: driverColumns,
  effect: 'read',
  calls: ['drivers.get', 'drivers.list', 'deliveries.list'],
  answers: ({ one }) => [one('drivers.get')],
  related: ['drivers list', 'drivers link'],
  async run(context, { positionals }) {
    const driver_id = await findDriverId(context, positionals.driver);
    const client = await context.client();
    const { data } = await client.drivers.get({ params: { driver_id } });
    return recordResult(data, await inShownZone(context, driverColumns));
  },
});

export const update = defineCommand({
  name: 'update',
  aliases: ['edit'],
  summary: 'Change a driver',
  description: 'What is not named stays. The link and the deliveries stay with the driver.',
  positionals: { driver: positional('driver', { summary: driverWord }) },
  flags: {
    name: textFlag({ summary: 'Name that recipients see', placeholder: 'NAME' }),
    phoneNumber: textFlag(phoneOptions),
    vehicleType: choiceFlag({ choices: driverVehicles, summary: 'Vehicle', aliases: ['vehicle'] }),
    assignWithoutAsking: optionalSwitchFlag({ summary: withoutAskingSummary }),
  },
  examples: [
    {
      command: 'waybill drivers update DRIVER --assign-without-asking',
      summary: 'Give deliveries without an offer',
    },
    { command: 'waybill drivers update DRIVER --vehicle bicycle', summary: 'Change the vehicle' },
  ],
  columns: driverColumns,
  effect: 'write',
  oneOf: ['name', 'phoneNumber', 'vehicleType', 'assignWithoutAsking'],
  calls: ['drivers.update', 'drivers.list', 'deliveries.list'],
  answers: ({ one }) => [one('drivers.update')],
  related: ['drivers list', 'drivers get'],
  async run(context, { positionals, flags: { name, phoneNumber, vehicleType, assignWithoutAsking } }) {
    const phone_number = phoneNumber && withCountry(phoneNumber);
    const changes = { vehicle_type: vehicleType, assign_without_asking: assignWithoutAsking };
    const body = withoutAbsent({ name, phone_number, ...changes });
    const driver_id = await findDriverId(context, positionals.driver);
    const client = await context.client();
    const { data } = await client.drivers.update({ params: { driver_id }, body });
    return recordResult(data, await inShownZone(context, driverColumns));
  },
});

export const link = defineCommand({
  name: 'link',
  aliases: ['relink'],
  summary: "Replace the link of a driver's page, such as after a lost phone",
  description: 'The old link stops working at once. Deliveries stay with the driver.',
  positionals: { driver: positional('driver', { summary: driverWord }) },
  examples: [{ command: 'waybill drivers link DRIVER', summary: 'Show a new link as a QR code' }],
  effect: 'write',
  confirms: () => true,
  calls: ['drivers.link', 'drivers.list'],
  answers: ({ one }) => [one('drivers.link')],
  related: ['drivers list', 'drivers remove'],
  async run(context, { positionals }) {
    requireFieldShown(context, 'link');
    const driver_id = await findDriverId(context, positionals.driver);
    if (!context.globals.dryRun) await context.confirm(`Replace the link of ${positionals.driver}?`);
    const client = await context.client();
    const { data } = await client.drivers.link({
      params: { driver_id },
      idempotencyKey: context.idempotencyKey(),
    });
    return linkResult(data, `New link for ${data.name}`);
  },
});

/** A driver's new link: drawn as a QR code for people. */
function linkResult(driver: LinkedDriver, first: string): DrawingResult {
  const { id, name, link: url } = driver;
  return drawingResult({
    data: driver,
    id,
    rows: [[id, name, url]],
    draw: ({ room, strong }) => {
      const shown = url === null ? 'The link was shown before.' : withQrCode({ url }, { room });
      return `${strong(oneLine(first))}\n${id}\n\n${shown}`;
    },
    notes: url === null ? [] : linkNotes(url),
  });
}

/** Says that the link is a secret, and what must run for it to work. */
function linkNotes(url: string): Text[] {
  const secret = 'Anyone with this link can act as the driver. It will not be shown again.';
  const host = URL.parse(url)?.hostname;
  if (host === undefined || !isThisMachine(host)) return [secret];
  const serve = invocation('serve', [], { 'public-url': 'URL' });
  return [secret, phrase`It works on this machine only: for phones, run \`${serve}\` at an https address.`];
}

type Prices = Account['fleet'];

const priceColumns: readonly Column<Prices>[] = [
  { field: 'per_delivery', header: 'Each delivery', kind: 'money' },
  { field: 'per_mile', header: 'Each mile', kind: 'money' },
  { field: 'ask_pin', header: 'Asks for a PIN', kind: 'text' },
  { field: 'share_phone', header: 'Recipients may call', kind: 'text' },
];

export const prices = defineCommand({
  name: 'prices',
  summary: 'Show or set the prices of deliveries by your own drivers',
  description: [
    'A quote of your own drivers is the price of each delivery and that of the miles of the route, without a service',
    'fee. What is not named stays. Test and live deliveries have prices of their own, and setting them takes an admin',
    'key.',
  ].join('\n'),
  flags: {
    perDelivery: moneyFlag({ summary: 'Price of each delivery in dollars, such as 2.50' }),
    perMile: moneyFlag({ summary: 'Price of each mile of a route in dollars, such as 0.75' }),
    askPin: optionalSwitchFlag({ summary: 'Whether recipients must tell your drivers a PIN' }),
    sharePhone: optionalSwitchFlag({
      summary: 'Whether recipients may call the driver who is on the way to them',
    }),
  },
  examples: [
    { command: 'waybill drivers prices', summary: 'Show the prices' },
    { command: 'waybill drivers prices --per-delivery 2.50 --per-mile 0.75', summary: 'Set both prices' },
    { command: 'waybill drivers prices --ask-pin', summary: 'Ask recipients for a PIN' },
    { command: 'waybill drivers prices --no-share-phone', summary: "Keep your drivers' numbers private" },
  ],
  effect: 'write',
  calls: ['account.get', 'account.update'],
  answers: ({ one, object }) => [
    one(object({ per_delivery: 'integer', per_mile: 'integer', ask_pin: 'boolean', share_phone: 'boolean' })),
  ],
  errors: ['not_supported'],
  related: ['drivers list', 'quotes list'],
  async run(context, { flags: { perDelivery, perMile, askPin, sharePhone } }) {
    const given = withoutAbsent({
      per_delivery: perDelivery,
      per_mile: perMile,
      ask_pin: askPin,
      share_phone: sharePhone,
    });
    const isShown = Object.keys(given).length === 0;
    const client = await context.client(isShown ? { reads: true } : {});
    const before = pricesOf((await client.account.get()).data);
    if (isShown) {
      const set = invocation('drivers prices', [], { perDelivery: 'DOLLARS' });
      return recordResult(before, priceColumns, { notes: [phrase`Set them: ${set}`] });
    }
    const { data } = await client.account.update({ body: { fleet: given } });
    return recordResult(pricesOf(data), priceColumns);
  },
});

/** The prices in an account. Throws Failure if the service has no own drivers. */
function pricesOf(account: Account): Prices {
  if (Object.hasOwn(account, 'fleet')) return account.fleet;
  throw new Failure(6, 'not_supported', 'This service has no prices of own drivers.');
}

export const remove = defineCommand({
  name: 'remove',
  aliases: ['delete', 'rm'],
  summary: 'Remove a driver who has no deliveries left',
  description: [
    'The link stops working at once. Past deliveries keep the name and the phone number. If the driver still has some,',
    'or gets some later, the error names the commands that give them to another driver, report what became of them or',
    'cancel them.',
  ].join('\n'),
  positionals: { driver: positional('driver', { summary: driverWord }) },
  examples: [{ command: 'waybill drivers remove DRIVER --yes', summary: 'Remove without a prompt' }],
  effect: 'write',
  confirms: () => true,
  calls: ['drivers.delete', 'drivers.list'],
  answers: ({ one }) => [one('drivers.delete')],
  related: ['drivers list', 'drivers add'],
  async run(context, { positionals }) {
    const driver_id = await findDriverId(context, positionals.driver);
    if (!context.globals.dryRun) await context.confirm(`Remove driver ${positionals.driver}?`);
    const client = await context.client();
    const removal = client.drivers.delete({ params: { driver_id } });
    const { data } = await removal.catch(async (error) => {
      throw await withSteps(context, driver_id, error);
    });
    return recordResult(data, deletedFields);
  },
});

/** Adds to the refusal how each delivery that the driver still has can be given away, or reported. */
async function withSteps(context: Context, driver_id: string, error: unknown): Promise<unknown> {
  if (!(error instanceof ApiError) || error.code !== 'driver_has_stops') return error;
  const client = await context.client();
  const drivers = await allRecords(client.drivers.list, {});
  const next = error.related_ids.flatMap((id) => {
    const [first, ...others] = handoverSteps(id, driver_id, drivers);
    return first === undefined ? [] : id === error.related_ids[0] ? [first, ...others] : [first];
  });
  return new Failure(6, error.code, error.message, { cause: error, hint: stepsText(next), next });
}

/** The empty modules around a QR code, which cameras need. */
const border = 2;

/** A link with its QR code below; the link alone if the terminal is too narrow. */
export function withQrCode({ url }: { url: string }, { room }: Pick<Formatters, 'room'>): string {
  const rows = qrRows(url);
  const isTooWide = room !== null && (rows[0]?.length ?? 0) > room;
  return isTooWide ? url : [url, '', ...rows].join('\n');
}

/** Draws two modules per character. The light modules are drawn, for dark terminals; cameras read the inverse too. */
function qrRows(text: string): string[] {
  const { data, size } = encode(text, { border });
  const isLight = (x: number, y: number) => y < size && data[y]?.[x] !== true;
  return Array.from({ length: Math.ceil(size / 2) }, (_, row) =>
    Array.from({ length: size }, (__, x) => block(isLight(x, row * 2), isLight(x, row * 2 + 1))).join(''),
  );
}

/** The character with these halves filled. */
function block(upper: boolean, lower: boolean): string {
  if (upper) return lower ? '█' : '▀';
  return lower ? '▄' : ' ';
}
