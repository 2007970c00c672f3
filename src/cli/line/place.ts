import { quoted } from '../exchange/exchanges.ts';
import type { Result } from '../result.ts';
import { type GlobalName, globalFlags } from './globals.ts';
import { flagLabel } from './input.ts';
import type { Parsed } from './parse.ts';

/** The global flags of a line which a command to run next must have too, as they are typed. */
export interface Place {
  /** Those that say whose account it is. */
  account: string;
  /** Those that say how the answer is written. */
  format: string;
}

export const anywhere: Place = { account: '', format: '' };

/** The place of a line: what its flags say, not the environment, which the next command has as well. */
export function placeOf({ global, origins }: Pick<Parsed, 'global' | 'origins'>): Place {
  const words = (...names: GlobalName[]) =>
    names
      .filter((name) => origins.get(name) === 'flag')
      .map((name) => ` ${flagWords(name, global.flags.get(name)?.at(-1) ?? '')}`)
      .join('');
  // Asked for by what names a command, which few answers do.
  return {
    get account() {
      return words('profile', 'baseUrl', 'apiKeyFile');
    },
    get format() {
      return words('output', 'json', 'jq', 'template', 'time');
    },
  };
}

function flagWords(name: GlobalName, text: string): string {
  if (!globalFlags[name].bare) return `${flagLabel(name)} ${quoted(text)}`;
  return text === '' ? flagLabel(name) : `${flagLabel(name)}=${quoted(text)}`;
}

const commands = /(^|[`:$|] ?)waybill (?!-)([^`|]*)/g;
/** These work in no account, or are about one that they name. */
const elsewhere = /^(?:profiles|start|serve|help|commands|openapi)\b|--(?:profile|base-url)\b/;

/** A text with the flags of the place in each command it names: `waybill --profile shop orders list`. */
export function inPlace(text: string, place: Place): string {
  if (!text.includes('waybill')) return text;
  const { account } = place;
  if (account === '') return text;
  return text.replace(commands, (whole, before: string, words: string) =>
    elsewhere.test(words) ? whole : `${before}waybill${account} ${words}`,
  );
}

/** An answer whose notes, and what goes on with a list, name commands for the same place. */
export function answerInPlace(result: Result, place: Place): Result {
  const { notes: given } = result;
  const texts = (notes: readonly string[]) => notes.map((note) => inPlace(note, place));
  const notes = typeof given === 'function' ? () => texts(given()) : given && texts(given);
  const placed = { ...result, ...(notes === undefined ? {} : { notes }) };
  if (placed.kind !== 'list') return placed;
  const { more } = placed;
  const goOn = () => {
    const left = more();
    return left === null ? null : { ...left, command: inPlace(left.command, place) + place.format };
  };
  return { ...placed, more: goOn };
}
