import { ApiError } from '../../../../client/errors.ts';

/** Codes that are about an order of the request, and not about the request, the key or the service. */
const ofOrders: readonly string[] = ['invalid_request', 'address_not_geocodable', 'record_not_found'];

/**
 * The orders of a request that a refusal is about, by their place in it, each with the reason; all of them where it
 * names none. Null where no order is to blame: then there is no use in sending others.
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

/** Whether it is the settings or the scenario that is refused, with which no order of an import can be made. */
export function isWholeRefusal(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.code.startsWith('simulation_')) return true;
  return error.code === 'invalid_request' && error.details.some(({ path }) => /^settings\b/.test(path));
}
