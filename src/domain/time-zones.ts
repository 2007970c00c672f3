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

/** The zone of a normalized address (`street, city, ST ZIP, USA`); UTC without a state. */
export function zoneOf(address: string): string {
  const state = /(?:^|[\s,])([A-Z]{2}) \d{5}(?:, USA)?$/.exec(address)?.[1];
  if (state === undefined) return 'UTC';
  return Object.keys(zones).find((zone) => zones[zone]?.split(' ').includes(state)) ?? 'UTC';
}

/** The name of a zone at a time: `Central Standard Time`. */
export function zoneName(zone: string, at: number, locale: string): string {
  const parts = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'long' }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}
