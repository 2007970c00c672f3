import { checkPlaces } from '../../../nouns/place.ts';
import type { Context } from '../../../session/command.ts';
import type { Row } from './source.ts';

/** A validation looks up at most this many addresses, and waits this long for them. */
const max_looked_up = 300;
const lookup_limit_ms = 60_000;

/** Warns of addresses that the geocoder of the service does not find; the rows can be sent nevertheless. */
export function createPlaceWarnings(context: Context): {
  onOrder: (row: Row) => void;
  warn: () => Promise<void>;
} {
  /** The first line of each address that has no coordinates. */
  const lines = new Map<string, string>();
  let isCut = false;
  return {
    onOrder: ({ fields, line }) => {
      for (const end of ['pickup', 'dropoff']) {
        const { [`${end}_address`]: address, [`${end}_latitude`]: latitude } = fields;
        if (typeof address !== 'string' || latitude !== undefined || lines.has(address)) continue;
        if (lines.size === max_looked_up) isCut = true;
        else lines.set(address, `line ${line}, ${end}_address`);
      }
    },
    warn: async () => {
      const checked = await checkPlaces(context, [...lines.keys()], lookup_limit_ms);
      if (checked === null) return;
      for (const [address, warning] of checked.warnings) {
        context.warn(`${lines.get(address)}: "${address}" ${warning}.`);
      }
      if (checked.unchecked > 0) context.note(`${checked.unchecked} addresses were not looked up in time.`);
      if (isCut) context.note(`Only the first ${max_looked_up} addresses were looked up.`);
    },
  };
}
