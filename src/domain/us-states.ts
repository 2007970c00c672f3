/** The states of the USA, as addresses write them. */
import { nearNames } from './near-names.ts';

/** The postal codes of states, district, territories and military mail. */
const stateNames: Readonly<Record<string, string>> = {
  AL: 'Alabama',
  AK: 'Alaska',
  AZ: 'Arizona',
  AR: 'Arkansas',
  CA: 'California',
  CO: 'Colorado',
  CT: 'Connecticut',
  DE: 'Delaware',
  DC: 'District of Columbia',
  FL: 'Florida',
  GA: 'Georgia',
  HI: 'Hawaii',
  ID: 'Idaho',
  IL: 'Illinois',
  IN: 'Indiana',
  IA: 'Iowa',
  KS: 'Kansas',
  KY: 'Kentucky',
  LA: 'Louisiana',
  ME: 'Maine',
  MD: 'Maryland',
  MA: 'Massachusetts',
  MI: 'Michigan',
  MN: 'Minnesota',
  MS: 'Mississippi',
  MO: 'Missouri',
  MT: 'Montana',
  NE: 'Nebraska',
  NV: 'Nevada',
  NH: 'New Hampshire',
  NJ: 'New Jersey',
  NM: 'New Mexico',
  NY: 'New York',
  NC: 'North Carolina',
  ND: 'North Dakota',
  OH: 'Ohio',
  OK: 'Oklahoma',
  OR: 'Oregon',
  PA: 'Pennsylvania',
  RI: 'Rhode Island',
  SC: 'South Carolina',
  SD: 'South Dakota',
  TN: 'Tennessee',
  TX: 'Texas',
  UT: 'Utah',
  VT: 'Vermont',
  VA: 'Virginia',
  WA: 'Washington',
  WV: 'West Virginia',
  WI: 'Wisconsin',
  WY: 'Wyoming',
  AS: 'American Samoa',
  GU: 'Guam',
  MP: 'Northern Mariana Islands',
  PR: 'Puerto Rico',
  VI: 'Virgin Islands',
  AA: 'Armed Forces Americas',
  AE: 'Armed Forces Europe',
  AP: 'Armed Forces Pacific',
};

/** The usual abbreviations beside the postal codes, without blanks and periods. */
const abbreviations: Readonly<Record<string, string>> = {
  AL: 'ala',
  AK: 'alas',
  AZ: 'ariz',
  AR: 'ark',
  CA: 'calif cal cali',
  CO: 'colo',
  CT: 'conn',
  DE: 'del dela',
  DC: 'distofcolumbia',
  FL: 'fla flor',
  HI: 'haw',
  ID: 'ida',
  IL: 'ill ills',
  IN: 'ind',
  KS: 'kan kans',
  KY: 'ken kent',
  MA: 'mass',
  MI: 'mich',
  MN: 'minn',
  MS: 'miss',
  MT: 'mont',
  NE: 'neb nebr',
  NV: 'nev',
  NH: 'newhamp',
  NJ: 'njersey',
  NM: 'nmex newmex nmexico',
  NY: 'nyork newyrk',
  NC: 'ncar ncarolina nocar nocarolina',
  ND: 'ndak ndakota nodak nodakota',
  OK: 'okla',
  OR: 'ore oreg',
  PA: 'penn penna pennsyl',
  RI: 'rhodeisl',
  SC: 'scar scarolina socar socarolina',
  SD: 'sdak sdakota sodak sodakota',
  TN: 'tenn',
  TX: 'tex',
  VA: 'virg',
  VT: 'verm',
  WA: 'wash',
  WV: 'wva wvirginia wvirg',
  WI: 'wis wisc',
  WY: 'wyo',
  VI: 'usvi usvirginislands usvirginisl',
  PR: 'portorico',
  MP: 'cnmi saipan',
};

/** The letters of a name, in lower case: `newyork`. */
export function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}

const codes = new Map<string, string>();
for (const [code, name] of Object.entries(stateNames)) {
  codes.set(code.toLowerCase(), code);
  codes.set(lettersOf(name), code);
}
for (const [code, words] of Object.entries(abbreviations)) {
  for (const word of words.split(' ')) codes.set(word, code);
}

/** The postal code of a state by its code, name or abbreviation, in any case: `il`, `N. Y.`, `Calif.`; null for none. */
export function stateCodeIn(text: string): string | null {
  return codes.get(text.toLowerCase().replace(/[\s.]/g, '')) ?? null;
}

/** Whether the text of a state is its code, with or without periods, and not a name that a city may have, too. */
export function isStateCode(text: string): boolean {
  return text.replace(/[\s.]/g, '').length === 2;
}

/** The name of a state by its postal code; a text that is no such code is returned as it is. */
export function stateName(code: string): string {
  return stateNames[code] ?? code;
}

/** The postal codes of the states and territories. */
export const stateCodes: readonly string[] = Object.keys(stateNames);

/** The state whose name a text is, but for a typing error; null for none. */
export function nearState(text: string): string | null {
  const word = lettersOf(text);
  const names = stateCodes.map((code) => lettersOf(stateName(code)));
  const [near] = nearNames(word, names).filter(
    (name) => name.length > 4 && Math.abs(name.length - word.length) < 3,
  );
  return near === undefined ? null : (codes.get(near) ?? null);
}

/** ZIP codes on both sides of a border, beside the state that most of their addresses are in. */
const acrossBorders: Readonly<Record<string, string>> = {
  AR: '65729 65733 65761 71749',
  AZ: '84531 84536',
  CA: '89010 89439 97635',
  CO: '82063',
  ID: '89832 97910 97913 99128',
  IL: '63673',
  IA: '57001',
  KY: '38079',
  LA: '71749',
  MA: '02861',
  ME: '03579',
  MN: '57026 57030 57068 58225',
  MT: '57717 57724 58621 58649 82801',
  ND: '57638 57641 57642 57645 57648 57660 59221 59270 59275',
  NE: '57078 82082',
  NM: '79922 81137 86504 86514 86515',
  NV: '84034',
  NY: '06390',
  OK: '73949',
  OR: '89421 99362',
  SD: '51001 56219 58043 58436 58439 58568 58653 69201 69212 69216',
  TN: '42223 42262',
  TX: '73949 88063',
  UT: '82930 83342 86044 86514',
  WI: '54540',
  WV: '20135',
  WY: '57717 57735 69358',
};

/** Whether a ZIP code has addresses in a state, beside those of its own. */
export function isZipOfState(zip: string, state: string): boolean {
  return acrossBorders[state]?.split(' ').includes(zip) === true;
}

/** Military post offices, at which the armed forces collect mail themselves. */
export const militaryStates: readonly string[] = ['AA', 'AE', 'AP'];
