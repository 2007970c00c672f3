/**
 * `admin erase` and `admin export`: the data of one person, on the machine of the database. Both find people by their phone
 * number, which several may share: then --name chooses one (`requireOneName`). An erasure also lists who stays.
 */
import { isSameName } from '../../../domain/references.ts';
import { switchFlag, textFlag } from '../../kit/args/flags.ts';
import { Failure, UsageError } from '../../kit/errors/failure.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { type InvocationFlags, invocation, type NextStep } from '../../kit/result/message.ts';
import { type Column, documentResult, listResult, type Result } from '../../kit/result/result.ts';
import {
  administer,
  chooseDatabase,
  databaseFlag,
  databaseFlagHints,
  type ErasedDriver,
  type ErasedOrder,
  type PersonQuery,
  type PreviewedDriver,
  type PreviewedPerson,
  sameDatabase,
  withoutPassword,
} from '../../session/administer.ts';
import { defineCommand } from '../../session/command.ts';

type Erased = ErasedOrder | ErasedDriver;
type Previewed = PreviewedPerson | PreviewedDriver;

const phoneOfPerson = { summary: 'Phone number of the person', placeholder: 'PHONE' };

/** Which of the people who share a phone number is meant. */
const nameFlags = {
  name: textFlag({
    summary: 'Only the person with this name, if several share the phone number',
    placeholder: 'NAME',
  }),
  allNames: switchFlag({ summary: 'Everybody with the phone number, also if there are several names' }),
};

export const erase = defineCommand({
  name: 'erase',
  summary: 'Erase the personal data of a person from orders and deliveries',
  description: [
    'Removes names, addresses, phone numbers, notes, proofs, signatures and exact positions of a recipient or sender from',
    'orders, deliveries, routes, events, reports, disputes and stored responses, in every account and both modes, and ends',
    'their tracking links. With --phone also a driver: name, phone number, picture and license plate in deliveries and',
    'their events, and an own driver with the link. The addresses that the person used go from the audit.',
    'IDs, references, items, amounts, times and statuses stay. Orders that have not ended are left out, with',
    'exit code 10: run it again once they have. If several names have the phone number, --name chooses one, and',
    '--all-names takes all. It cannot be undone, and backups made before still have the data.',
  ].join('\n'),
  flags: {
    database: databaseFlag(),
    phone: textFlag(phoneOfPerson),
    ...nameFlags,
    delivery: textFlag({ summary: 'Delivery whose recipient is erased: dlv_…', placeholder: 'DELIVERY' }),
    preview: switchFlag({
      summary: 'Only show the names and orders, and who else has the same phone number',
      aliases: ['dry-run'],
    }),
  },
  oneOf: ['phone', 'delivery'],
  flagHints: databaseFlagHints,
  examples: [
    { command: 'waybill admin erase --phone +13125550142 --dry-run', summary: 'See whom it concerns' },
    { command: 'waybill admin erase --phone +13125550142', summary: 'Erase a person by phone number' },
    {
      command: 'waybill admin erase --delivery dlv_1 --database shop.db --yes',
      summary: 'Erase the recipient of one delivery without a prompt',
    },
  ],
  effect: 'none',
  confirms: (given) => !given.has('preview'),
  answers: ({ each, object, listOf, orNull }) => {
    const deliveries = { delivery_ids: listOf('string') };
    const erased = { ...deliveries, outcome: 'erased | under_way' } as const;
    const person = { ...deliveries, end: 'pickup | dropoff', name: 'string' } as const;
    const outcome = 'would_be_erased | under_way';
    return [
      each(object({ order_id: 'string', ...erased })),
      each(object({ driver_id: 'string', ...erased }), 'of a driver'),
      each(
        object({
          order_id: 'string',
          external_order_ref: 'string',
          ...person,
          outcome,
        }),
        'with --preview',
      ),
      each(
        object({ driver_id: orNull('string'), ...person, end: '"driver"', outcome }),
        'of a driver, with --preview',
      ),
    ];
  },
  exits: {
    5: 'no such delivery',
    7: 'the database cannot be used',
    10: 'orders that have not ended were not erased',
  },
  errors: ['record_not_found', 'storage_unavailable', 'some_not_changed'],
  related: ['admin export', 'backup'],
  async run(context, { flags }) {
    const query = await personQueryOf(flags);
    const database = chooseDatabase(context, flags.database);
    const shown = withoutPassword(database);
    const people = await administer(database, (administration) => administration.previewErasure(query));
    if ('delivery_id' in query && people.length === 0) throw noSuchDelivery(query.delivery_id, shown);
    const again = { phone: flags.phone, delivery: flags.delivery, ...sameDatabase(flags.database) };
    if (flags.preview) return previewResult(people, shown, context.output.json);
    const chosen = chosenAmong(people);
    const look = { ...invocation('admin erase', [], { ...again, dryRun: true }), when: 'see their orders' };
    if ('phone' in query && query.name === undefined && !flags.allNames)
      requireOneName(chosen, { phone: query.phone, done: 'erased' }, look);
    const who = 'phone' in query ? `+${query.phone}` : `the recipient of ${query.delivery_id}`;
    await context.confirm(
      `Erase the personal data of ${[who, ...personTexts(chosen)].join(', ')} in ${shown} for good?`,
    );
    const { people: gone, isOverwritten } = await administer(database, (administration) =>
      administration.erase(query),
    );
    const answer = listResult({
      data: gone,
      columns: erasedColumns,
      empty: noPerson(shown),
      notes: isOverwritten || gone.length === 0 ? [] : [stillInUseNote],
    });
    if (gone.every(({ outcome }) => outcome !== 'under_way')) return answer;
    const { name, allNames } = flags;
    throw someNotEnded(gone, answer, { ...again, name, allNames });
  },
});

export const exportPerson = defineCommand({
  name: 'export',
  summary: 'Print everything that is kept about a person as JSON',
  description: [
    'Prints the orders with this phone number, of every account and both modes, as they are stored: the order, its',
    'deliveries, events, reports of couriers, disputes, and what the person changed. Also the own drivers with this number,',
    'and the deliveries by any driver with it. It contains personal data of the others in these orders, too. If several',
    'names have the phone number, --name chooses one, and --all-names takes all.',
  ].join('\n'),
  flags: {
    database: databaseFlag(),
    phone: textFlag({ ...phoneOfPerson, required: true }),
    ...nameFlags,
  },
  flagHints: databaseFlagHints,
  examples: [
    { command: 'waybill admin export --phone +13125550142 > person.json', summary: 'Export to a file' },
    {
      command: "waybill admin export --phone +13125550142 --name 'Ana Lopez' > person.json",
      summary: 'Export one of several people who share the phone number',
    },
  ],
  effect: 'none',
  formats: ['json'],
  answers: ({ one, object, listOf }) => [
    one(
      object({
        phone: 'string',
        names: listOf('string'),
        orders: listOf('object'),
        drivers: listOf('object'),
        drives: listOf('object'),
      }),
    ),
  ],
  exits: { 7: 'the database cannot be used' },
  errors: ['storage_unavailable'],
  related: ['admin erase', 'deliveries list'],
  async run(context, { flags }) {
    const { phone: typed, name, allNames } = flags;
    const phone = await phoneDigits(typed);
    const query = { phone, ...(name === undefined ? {} : { name }) };
    const database = chooseDatabase(context, flags.database);
    return administer(database, async (administration) => {
      const found = await administration.previewErasure(query);
      const people = chosenAmong(found);
      const again = { phone: typed, ...sameDatabase(flags.database) };
      const one = {
        ...invocation('admin export', [], { ...again, name: 'NAME' }),
        when: 'export one of them',
      };
      if (name === undefined && !allNames) requireOneName(people, { phone, done: 'exported' }, one);
      const kept = await administration.exportPerson(query);
      const whom = personTexts(people);
      const note = whom.length === 0 ? noPerson(withoutPassword(database)) : `Exported: ${whom.join('; ')}.`;
      return documentResult({ phone: typed, names: namesOf(people), ...kept }, { notes: [note] });
    });
  },
});

/** The orders that `--phone` or `--delivery` selects; UsageError unless exactly one is given. */
async function personQueryOf({
  phone,
  name,
  delivery,
}: Record<'phone' | 'name' | 'delivery', string | undefined>): Promise<PersonQuery> {
  if (phone !== undefined && delivery !== undefined)
    throw new UsageError('`waybill admin erase` takes --phone or --delivery, not both.');
  if (delivery !== undefined) return { delivery_id: delivery };
  return { phone: await phoneDigits(phone ?? ''), ...(name === undefined ? {} : { name }) };
}

/** The digits of a phone number, as the database keeps it. Throws UsageError. */
async function phoneDigits(typed: string): Promise<string> {
  const { readPhone } = await import('../../../domain/phones.ts');
  const found = readPhone(typed);
  if ('fault' in found) throw new UsageError(`--phone "${typed}" ${found.fault}.`);
  return found.number.slice(1);
}

/** Exit 2: several people have the phone number, and the user has not said which of them. */
function requireOneName(
  people: readonly Previewed[],
  { phone, done }: { phone: string; done: 'erased' | 'exported' },
  next: NextStep,
): void {
  const choices = namesOf(people);
  if (choices.length < 2) return;
  throw new UsageError(
    `${choices.length} names have the phone number +${phone}: ${personTexts(people).join('; ')}. Nothing was ${done}.`,
    {
      code: 'ambiguous',
      missing: ['--name'],
      choices,
      hint: `Say whose data is to be ${done} with --name; --all-names takes everybody.`,
      next: [next],
    },
  );
}

function noSuchDelivery(id: string, where: string): Failure {
  const message = `There is no delivery ${id} in ${where}: --delivery takes an ID, dlv_….`;
  return new Failure(5, 'record_not_found', message, {
    next: [
      {
        ...invocation('deliveries list', [], { search: id, output: 'id' }),
        when: 'see the IDs of what it finds',
      },
    ],
  });
}

/** Exit 10: records that have not ended are not erased; `again` are the flags of the run. */
function someNotEnded(people: readonly Erased[], answer: Result, again: InvocationFlags): Failure {
  const left = people.filter(({ outcome }) => outcome === 'under_way').length;
  const noun = people.every((each) => 'order_id' in each) ? 'order' : 'record';
  const what = left === 1 ? `One ${noun} has not ended and was` : `${left} ${noun}s have not ended and were`;
  return new Failure(10, 'some_not_changed', `${what} not erased.`, {
    answer,
    hint: 'Cancel it, or wait until it has ended, and erase again.',
    next: [{ ...invocation('admin erase', [], { ...again, dryRun: true }), when: 'see which' }],
  });
}

/** Whom an erasure would erase, how many others have the same phone number, and what it does not reach. */
function previewResult(people: readonly Previewed[], where: string, isForPrograms: boolean): Result {
  const chosen = chosenAmong(people);
  const staying = people.filter(({ outcome }) => outcome === 'stays');
  const others =
    staying.length === 1 ? 'one other order, which stays' : `${staying.length} other orders, which stay`;
  const names = namesOf(chosen);
  const shared = `${names.length} names have this phone number: ${shortList(names)}. --name chooses one; --all-names takes everybody.`;
  const left = `The same phone number is in ${others}${isForPrograms ? '' : `: ${shortList(namesOf(staying))}`}.`;
  return listResult({
    data: chosen,
    columns: previewColumns,
    empty: noPerson(where),
    notes: [
      'Nothing was erased.',
      ...(names.length < 2 ? [] : [shared]),
      ...(staying.length > 0 ? [left] : []),
      'Files stay with you: the order files that you imported and, beside each, .ok.csv, .failed.csv and .waybill-journal; CSV and JSON that you have printed; backups.',
    ],
  });
}

/** The people whom an erasure or an export is about; others only share the phone number, and stay. */
function chosenAmong(people: readonly Previewed[]): Previewed[] {
  return people.filter(({ outcome }) => outcome !== 'stays');
}

/** Each name once; case and spaces do not make another. */
function namesOf(people: readonly Previewed[]): string[] {
  const names = people.map(({ name }) => name);
  return names.filter((name, index) => names.findIndex((each) => isSameName(each, name)) === index);
}

/** `Joe Reyes (I-1, I-3)` for each name. */
function personTexts(people: readonly Previewed[]): string[] {
  return namesOf(people).map((name) => {
    const places = people.filter((person) => isSameName(person.name, name)).map(placeText);
    return `${oneLine(name)} (${shortList(places)})`;
  });
}

/** Where a person was found: `#1042`, or `driver, dlv_1`. */
function placeText(person: Previewed): string {
  if ('order_id' in person) return person.external_order_ref || person.order_id;
  const [delivery_id = person.driver_id ?? ''] = person.delivery_ids;
  return `driver, ${delivery_id}`;
}

/** `Ana, Joe, and 3 more`. */
function shortList(texts: readonly string[]): string {
  const rest = texts.length > max_shown ? `, and ${texts.length - max_shown} more` : '';
  return `${texts.slice(0, max_shown).map(oneLine).join(', ')}${rest}`;
}

/** The most names or orders of a list in a sentence. */
const max_shown = 5;

const noPerson = (where: string) => `No order and no driver in ${where} has this person.`;

const stillInUseNote =
  'Another process uses the database, whose file or log may still have what was erased: run this again once it has ended.';

const recordColumn: Column<Erased | Previewed> = {
  field: 'order_id',
  header: 'Order or driver',
  kind: 'id',
  value: (row) => ('order_id' in row ? row.order_id : row.driver_id),
};

/** An order that waits for its first dispatch is not under way, and has not ended. */
const outcomeColumn: Column<{ outcome: string }> = {
  field: 'outcome',
  header: 'Outcome',
  kind: 'text',
  value: ({ outcome }) => (outcome === 'under_way' ? 'not ended' : outcome.replaceAll('_', ' ')),
};

const deliveriesColumn: Column<Erased | Previewed> = {
  field: 'delivery_ids',
  header: 'Deliveries',
  kind: 'text',
  value: ({ delivery_ids }) => delivery_ids.join(', '),
};

const erasedColumns: readonly Column<Erased>[] = [recordColumn, deliveriesColumn, outcomeColumn];

const roles = { pickup: 'sender', dropoff: 'recipient', driver: 'driver' };

const previewColumns: readonly Column<Previewed>[] = [
  { field: 'name', header: 'Name', kind: 'text' },
  { field: 'end', header: 'As', kind: 'text', value: ({ end }) => roles[end] },
  {
    field: 'external_order_ref',
    header: 'Ref',
    kind: 'text',
    value: (row) => ('order_id' in row ? row.external_order_ref : null),
  },
  outcomeColumn,
  recordColumn,
  { ...deliveriesColumn, wide: true },
];
