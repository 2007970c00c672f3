/** Words that support agents type about one delivery; `deliveries explain` answers all of them. */
const ofDelivery: ReadonlySet<string> = new Set([
  ...['where', 'locate', 'location', 'driver', 'courier'],
  ...['who', 'why', 'what', 'when', 'how', 'history', 'timeline', 'status', 'pin', 'cost', 'price', 'fee'],
]);

const spendings: ReadonlySet<string> = new Set(['spent', 'spend', 'spending', 'total', 'totals', 'costs']);

/** The words after `waybill`, or after `waybill deliveries`, and the command that answers them. */
export function answerOf(words: readonly string[]): string[] | undefined {
  const [first = '', ...rest] = words.filter((word) => word !== '');
  // `why was the courier of 1001 changed`: a reference, an ID or a phone number has a digit.
  const delivery = rest.find(hasDigit) ?? (rest.length === 1 ? rest[0] : undefined);
  if (spendings.has(first) && delivery === undefined) return ['charges', 'list', '--since', 'today', '--all'];
  if (first === 'events' && delivery !== undefined) return ['events', 'list', '--delivery', delivery];
  if (ofDelivery.has(first) || spendings.has(first)) return ['deliveries', 'explain', delivery ?? 'DELIVERY'];
  return undefined;
}

/** True for what can be a reference, an ID or a phone number in the place of a command. */
export function hasDigit(word: string): boolean {
  return /\d/.test(word);
}
