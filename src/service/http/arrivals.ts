import { newRequestId } from '../runtime/ids.ts';
import type { Clock } from '../runtime/time.ts';

/** A request as it arrives. */
interface Arrival {
  /** Ids of the same millisecond sort in the order of their requests. */
  request_id: string;
  /** Wall time. */
  received_at: number;
}

export function createArrivals(wall: Clock): () => Arrival {
  let latest = { at: Number.NaN, number: 0 };
  return () => {
    const at = wall.now();
    latest = { at, number: at === latest.at ? latest.number + 1 : 0 };
    return { request_id: newRequestId(at, latest.number), received_at: at };
  };
}
