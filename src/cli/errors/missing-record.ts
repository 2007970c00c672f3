import type { CommandSpec } from '../kit/args/command-spec.ts';
import { invocation, type NextStep } from '../kit/result/invocation.ts';
import { plainText, type Text } from '../kit/result/message.ts';
import { listOfKind, otherKind, routeOfOrder } from './record-kinds.ts';

/** The part of an error report that this file reads and replaces. */
interface Report {
  code: string;
  message: Text;
  hint: Text | null;
  status: number | null;
  next: readonly NextStep[];
}

/** Kinds of records that people look for by the reference of an order in them. */
const withOrders: readonly string[] = ['route', 'batch'];

/**
 * Explains why the service has no record for an argument: it is the ID of another kind of record, or no ID at all.
 * Returns any other error unchanged.
 */
export function explainMissing<R extends Report>(
  error: R,
  positionals: CommandSpec['positionals'],
  words: readonly string[],
): R {
  if (error.code !== 'record_not_found' || error.status === null) return error;
  const message = plainText(error.message);
  for (const [index, { kind }] of Object.values(positionals).entries()) {
    const word = words[index] ?? '';
    if (word === '' || !message.includes(word)) continue;
    const other = otherKind(word, kind);
    if (other !== null) return { ...error, ...other, hint: null };
    return { ...error, next: [...findSteps(word, kind), ...error.next] };
  }
  return error;
}

function findSteps(word: string, kind: string): NextStep[] {
  const list = listOfKind(kind);
  const isId = /^[a-z]{3}_/.test(word);
  const find = { ...invocation('deliveries get', [word]), when: 'find a delivery by your reference' };
  const ofOrder = kind === 'route' && !isId ? [routeOfOrder(word)] : [];
  return [
    ...ofOrder,
    ...(withOrders.includes(kind) && !isId ? [find] : []),
    ...(list === null ? [] : [list]),
  ];
}
