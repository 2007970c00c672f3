/** The form in which records hold an address, and comparisons of addresses that are written in different ways. */
import { isUnit } from './address-text.ts';
import { wordsInFull } from './search-text.ts';

export interface AddressFields {
  /** With the number of the house in front; several lines are joined by commas. */
  street: string;
  /** Units in the building that are parts of the address, joined by commas; empty without any. */
  unit: string;
  city: string;
  /** The postal code of the state. */
  state: string;
  /** Five digits; null if the address has none. */
  zip: string | null;
}

/** An address as records hold it: `lines` are the street and the units, in their order. */
export function addressLine(
  lines: readonly string[],
  { city, state, zip }: Pick<AddressFields, 'city' | 'state' | 'zip'>,
): string {
  return [...lines, city, zip === null ? state : `${state} ${zip}`, 'USA'].join(', ');
}

/**
 * The parts of an address as records hold it: whatever was read once is split at its commas, without tables. Null for a
 * text of another form. Records of earlier versions may have no state, and no city.
 */
export function storedAddressFields(address: string): AddressFields | null {
  const lines = address.replace(/, USA$/, '').split(', ');
  const [, state = '', zip = null] = /^([A-Z]{2})?(?:(?:^| )(\d{5}))?$/.exec(lines.pop() ?? '') ?? [];
  if (state === '' && zip === null) return null;
  const city = lines.length > 1 ? (lines.pop() ?? '') : '';
  return {
    street: lines.filter((line) => !isUnit(line)).join(', '),
    unit: lines.filter(isUnit).join(', '),
    city,
    state,
    zip,
  };
}

/** An address for comparisons: `233 S. Wacker Dr` and `233 south wacker drive` are one. */
export function addressKey(address: string): string {
  return wordsInFull(address).join(' ');
}

export function isSameAddress(left: { address: string }, right: { address: string }): boolean {
  return addressKey(left.address) === addressKey(right.address);
}

// Time zones of US addresses (49 CFR part 71): of the state, or of the ZIP code where a state has two. The exceptions
// are shortened from the zones of ZIP codes that the project ziptz keeps (https://github.com/infused/ziptz, MIT
// License, Copyright Keith Morrison): about 80 rural ones of 41,000 get the zone of their neighbors.

/** The most common time zone of each state. */
const zones: Readonly<Record<string, string>> = {
  'America/New_York': 'CT DC DE FL GA IN KY MA MD ME MI NC NH NJ NY OH PA RI SC VA VT WV',
  'America/Chicago': 'AL AR IA IL KS LA MN MO MS ND NE OK SD TN TX WI',
  'America/Denver': 'CO ID MT NM UT WY',
  'America/Phoenix': 'AZ',
  'America/Los_Angeles': 'CA NV OR WA',
  'America/Anchorage': 'AK',
  'Pacific/Honolulu': 'HI',
  'America/Puerto_Rico': 'PR VI',
  'Pacific/Guam': 'GU MP',
  'Pacific/Pago_Pago': 'AS',
};

/** The ZIP codes, by their longest listed beginning, that are in another zone than most of their state. */
const exceptions: Readonly<Record<string, string>> = {
  // The east of Tennessee, and towns within the areas below that keep the time of their state.
  'America/New_York':
    '32456 32457 40175 42718 42719 42748 47532 47553 3730 3731 3732 3733 37341 37343 37350 37351 37353 37354 3736 3737 37381 37384 37385 37391 374 376 377 378 379',
  // The west of Florida, Indiana, Kentucky and the Upper Peninsula, and Tennessee around Sewanee.
  'America/Chicago': [
    '324 325',
    '463 464 46531 46532 46534 4753 47520 47523 4755 4757 47586 47588 476 477 47922 47943 47948 47951 47963 47977 47978',
    '37301 37305 37306 37313 37318 37324 37327 37328 37330 37334 37335 37360 37365 37366 37367 37374 37375 37376 37378',
    '40111 40115 4014 40152 4017 420 421 422 423 424 4260 4262 42642 4271 4272 4274 4275 4276 42782',
    '49801 49802 49815 49848 49852 49858 4987 49881 49887 49892 49902 49903 49911 49915 49920 49927 49935 49938 49947 49959 49968 49969',
  ].join(' '),
  // The west of the Dakotas, Nebraska, Kansas and Texas, the Navajo Nation, Malheur County in Oregon, West Wendover.
  'America/Denver': [
    '57521 57543 57547 57551 57552 57553 57567 57577 5760 5762 5763 5764 5765 5766 577 58529 58533 58562 58564 58569 586',
    '67733 67735 67741 67758 6776 67836 67857 67878 67879 69021 69023 69027 69030 69033 69045',
    '6912 69131 69133 69134 6914 6915 69160 69162 69165 69168 69211 69216 69218 69219 693',
    '79821 79835 79836 79837 79838 79839 79847 79849 79851 79853 799 885 86033 8604 865 89883 97901 97902 97903 97906 97908 97909 9791 9792',
  ].join(' '),
  // The north of Idaho.
  'America/Los_Angeles': '835 838',
  'America/Phoenix': '86040 86046',
  'America/Adak': '99546 99547',
};

/** The lookup tables of `findZone`, which the board's script uses, too. */
export const zoneTables = {
  /** The state and the ZIP code at the end of an address. */
  ending: /(?:^|[\s,])([A-Z]{2})(?:,? (\d{5})(?:-\d{4})?)?(?:, USA)?$/.source,
  states: byWord(zones),
  zips: byWord(exceptions),
};

function byWord(table: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([zone, words]) => words.split(' ').map((word) => [word, zone])),
  );
}

/** The zone of an address (`street, city, ST ZIP, USA`, the ZIP code being optional); null without a state. */
export function findZone(address: string): string | null {
  const { ending, states, zips } = zoneTables;
  const [, state = '', zip = ''] = new RegExp(ending).exec(address) ?? [];
  const known = states[state] ?? null;
  return known && (zips[zip] ?? zips[zip.slice(0, 4)] ?? zips[zip.slice(0, 3)] ?? known);
}

/** The name of a zone at a time: `Central Standard Time`. */
export function zoneName(zone: string, at: number, locale: string): string {
  const parts = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'long' }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}
