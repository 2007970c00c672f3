import type { TSchema } from '../contract/schema.ts';
import { alternativesOf, type Fields, isFields, itemsOf, propertiesOf } from './lenient.ts';
import { typeOf } from './shape.ts';
import { statusAsInContract } from './status-spellings.ts';

/** How a service writes values, as far as its responses have shown. */
export interface Notation {
  /** Whether it spells statuses in another way than the contract. */
  hasOtherStatuses: boolean;
}

export function createNotation(): Notation {
  return { hasOtherStatuses: false };
}

/** Rewrites the values of a response that mean the same as those of the contract, but are written in another way, and notes the way. Everything else is kept as it is. */
export function inContractNotation(schema: TSchema, value: unknown, notation: Notation): unknown {
  return rewritten(schema, value, { notation, title: '' });
}

interface Place {
  notation: Notation;
  /** That of the closest record. */
  title: string;
}

function rewritten(schema: TSchema, value: unknown, place: Place): unknown {
  const alternatives = (alternativesOf(schema) ?? [schema]).filter((each) => typeOf(each) !== 'null');
  const [only, ...others] = alternatives;
  if (only === undefined || others.length > 0) return value;
  if (isFields(value)) return recordRewritten(only, value, { ...place, title: titleOf(only) ?? place.title });
  const items = Array.isArray(value) ? itemsOf(only) : null;
  return Array.isArray(value) && items !== null ? value.map((item) => rewritten(items, item, place)) : value;
}

function recordRewritten(schema: TSchema, record: Fields, place: Place): Fields {
  const properties = propertiesOf(schema);
  const entries = Object.entries(record).map(([name, value]) => {
    const field = properties[name];
    if (field === undefined) return [name, value] as const;
    const isStatus = name === 'status' && typeof value === 'string';
    return [name, isStatus ? statusIn(value, place) : rewritten(field, value, place)] as const;
  });
  return Object.fromEntries(entries);
}

function statusIn(text: string, { notation, title }: Place): string {
  const status = statusAsInContract(title, text);
  notation.hasOtherStatuses ||= status !== text;
  return status;
}

function titleOf(schema: TSchema): string | undefined {
  return 'title' in schema && typeof schema.title === 'string' ? schema.title : undefined;
}
