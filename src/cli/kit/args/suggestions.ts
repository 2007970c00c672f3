import { nearNames } from '../../../domain/near-names.ts';
import type { Invocation } from '../result/invocation.ts';
import type { Text } from '../result/message.ts';
import { joinedTexts, phrase } from '../result/message.ts';

/** `Did you mean …?`, or nothing. */
export function didYouMean(word: string, names: readonly string[]): Text | undefined {
  return meant(nearNames(word, names));
}

/** The question about what was found, if anything was. */
export function meant(found: readonly (string | Invocation)[]): Text | undefined {
  const texts = found.map((each) => (typeof each === 'string' ? each : phrase`${each}`));
  const names = joinedTexts(texts, ' or ');
  if (texts.length === 0) return undefined;
  return typeof names === 'string' ? `Did you mean ${names}?` : phrase`Did you mean ${names}?`;
}

/** Flags as other programs call them, and what they are here. */
const elsewhere: Readonly<Record<string, string>> = {
  '--api-key': '--api-key-file',
  '--assume-yes': '--yes',
  '--confirm': '--yes',
  '--count': '--limit',
  '--courier': '--provider',
  '--customer': '--search',
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
  '--query': '--search',
  '--recipient': '--search',
  '--per-page': '--limit',
  '--reference': '--ref',
  '--server': '--base-url',
  '--silent': '--quiet',
  '--today': '--since today',
  '--token': '--api-key-file',
  '--url': '--base-url',
  '--verbose': '--debug',
  '--yesterday': '--since yesterday',
};

/** What was meant by a flag that there is not, among those there are. */
export function meantFlag(flag: string, names: readonly string[]): Text | undefined {
  const same = elsewhere[flag];
  if (same !== undefined && names.includes(same.split(' ')[0] ?? '')) return meant([same]);
  return didYouMean(flag, [...names, '--help', '--version']);
}
