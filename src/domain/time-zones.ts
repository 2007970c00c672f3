/** The most common time zone of each state: a delivery has no more precise information. */
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

/** The zone of an address (`street, city, ST ZIP, USA`, the ZIP code being optional); null without a state. */
export function zoneOf(address: string): string | null {
  const state = /(?:^|[\s,])([A-Z]{2})(?:,? \d{5}(?:-\d{4})?)?(?:, USA)?$/.exec(address)?.[1];
  if (state === undefined) return null;
  return Object.keys(zones).find((zone) => zones[zone]?.split(' ').includes(state)) ?? null;
}

/** The name of a zone at a time: `Central Standard Time`. */
export function zoneName(zone: string, at: number, locale: string): string {
  const parts = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'long' }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}
