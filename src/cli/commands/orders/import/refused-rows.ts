import { ApiError } from '../../../../client/errors.ts';

/** Error codes about an order of the request, rather than the request, the key or the service. */
const ofOrders: readonly string[] = ['invalid_request', 'address_not_geocodable', 'record_not_found'];

/**
 * The orders that a refusal is about, by their index, each with the reason; all orders if it names none. Null if no
 * order is at fault, so that sending others is pointless.
 */
export function refusedRows(error: unknown, count: number): Map<number, string> | null {
  if (!(error instanceof ApiError) || !ofOrders.includes(error.code)) return null;
  const reasons = new Map<number, string>();
  for (const { path, message } of error.details) {
    const found = /^orders\[(\d+)\]\.?(.*)$/.exec(path);
    if (found === null) return null;
    const [, place = '', field = ''] = found;
    const reason = field === '' ? message : `${field}: ${message}`;
    const before = reasons.get(Number(place));
    reasons.set(Number(place), before === undefined ? reason : `${before}; ${reason}`);
  }
  if (reasons.size > 0) return [...reasons.keys()].every((place) => place < count) ? reasons : null;
  if (error.code === 'invalid_request') return count === 1 ? new Map([[0, error.message]]) : null;
  return new Map(Array.from({ length: count }, (_, place) => [place, error.message]));
}

/** True if the settings or the scenario are refused, which applies to every order. */
export function isWholeRefusal(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.code.startsWith('simulation_')) return true;
  return error.code === 'invalid_request' && error.details.some(({ path }) => /^settings\b/.test(path));
}
