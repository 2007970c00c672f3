import { nearNames } from '../../../domain/near-names.ts';
import { type Invocation, joinedTexts, phrase, type Text } from '../result/message.ts';

/** `Did you mean …?`, or nothing. */
export function didYouMean(word: string, names: readonly string[]): Text | undefined {
  return meant(nearNames(word, names));
}

/** The suggestion for the names found, if any. */
export function meant(found: readonly (string | Invocation)[]): Text | undefined {
  const texts = found.map((each) => (typeof each === 'string' ? each : phrase`${each}`));
  const names = joinedTexts(texts, ' or ');
  if (texts.length === 0) return undefined;
  return typeof names === 'string' ? `Did you mean ${names}?` : phrase`Did you mean ${names}?`;
}

/** Flags of other programs, and their equivalents here. */
const elsewhere: Readonly<Record<string, string>> = {
  '--api-key': '--api-key-file',
  '--assume-yes': '--yes',
  '--confirm': '--yes',
  '--count': '--limit',
  '--courier': '--provider',
  '--customer': '--search',
  '--delivery': '--record',
  '--endpoint-url': '--base-url',
  '--fields': '--json',
  '--force': '--yes',
  '--format': '--output',
  '--host': '--base-url',
  '--interactive': '--input',
  '--key': '--api-key-file',
  '--max-price': '--max-cost',
  '--name': '--search',
  '--no-colour': '--color never',
  '--no-color': '--color never',
  '--no-interactive': '--no-input',
  '--non-interactive': '--no-input',
  '--no-prompt': '--no-input',
  '--page-size': '--limit',
  '--order': '--record',
  '--query': '--search',
  '--ref': '--delivery',
  '--recipient': '--search',
  '--per-page': '--limit',
  '--reference': '--ref',
  '--server': '--base-url',
  '--silent': '--quiet',
  '--today': '--since today',
  '--token': '--api-key-file',
  '--url': '--base-url',
  '--verbose': '--debug',
  '--week': '--since 7d',
  '--yesterday': '--since yesterday',
};

/** Suggests an existing flag for an unknown one. */
export function meantFlag(flag: string, names: readonly string[]): Text | undefined {
  const same = elsewhere[flag];
  if (same !== undefined && names.includes(same.split(' ')[0] ?? '')) return meant([same]);
  const undashed = (name: string) => name.replace(/^-+/, '');
  // One letter is an edit away from every other one.
  if (undashed(flag).length < 2) return undefined;
  // Without the dashes, so that two letters count as the short word that they are.
  const near = nearNames(undashed(flag), [...names, '--help', '--version'].map(undashed));
  return meant(near.map((name) => `--${name}`));
}
