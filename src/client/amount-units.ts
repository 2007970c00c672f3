import type { Operation } from '../contract/operation.ts';
import { amountsIn, withMainUnits } from './amounts.ts';
import type { Notation } from './contract-notation.ts';
import { ApiError } from './errors.ts';
import type { CallInput } from './requests.ts';

/** Notices to the user about the amounts of a service. */
export type UnitNotice =
  /**
   * Amounts have decimals. `hasReadCents`: earlier ones were read in cents. `sent`: the names of those that were sent
   * in cents.
   */
  | { kind: 'main_units'; hasReadCents: boolean; sent: readonly string[] }
  /** Amounts without decimals were read in the main unit, because of earlier ones. */
  | { kind: 'assumed_units' }
  /** Amounts are in another currency than US dollars. */
  | { kind: 'currency'; currency: string };

export interface AmountUnits {
  /** The input of a call with its amounts in the unit of the service. */
  inputFor(input: CallInput): CallInput;
  /**
   * Reports what a response has shown about the unit. Throws for a look-up that shows that earlier amounts were sent in
   * the wrong unit, as they may already be charged.
   */
  report(operation: Operation): void;
}

/** Sends amounts in the unit of the service once that is known, and reports what responses show about it. */
export function createAmountUnits(
  notation: Notation,
  onNotice: ((notice: UnitNotice) => void) | undefined,
): AmountUnits {
  const sent = new Set<string>();
  const reported = { hasMainUnits: notation.hasMainUnits, hasAssumedUnits: false, currency: 'USD' };
  return {
    inputFor: (input) => {
      if (notation.hasMainUnits) return { ...input, body: withMainUnits(input.body, notation.currency) };
      for (const name of amountsIn(input.body)) sent.add(name);
      return input;
    },
    report: ({ method }) => {
      const { hasMainUnits, hasReadCents, hasAssumedUnits, currency } = notation;
      const isNew = hasMainUnits && !reported.hasMainUnits;
      if (isNew) onNotice?.({ kind: 'main_units', hasReadCents, sent: [...sent] });
      else if (hasAssumedUnits && !reported.hasAssumedUnits) onNotice?.({ kind: 'assumed_units' });
      if (currency.toUpperCase() !== reported.currency) onNotice?.({ kind: 'currency', currency });
      Object.assign(reported, { hasMainUnits, hasAssumedUnits, currency: currency.toUpperCase() });
      const charged = [...sent].filter((name) => name !== 'order_value');
      if (isNew && charged.length > 0 && method === 'GET') throw sentInCents(charged);
    },
  };
}

function sentInCents(names: readonly string[]): ApiError {
  return new ApiError(
    `The service has amounts with decimals, but was sent ${names.join(', ')} in cents, and may have read 100 times as much. Create the order again: from now on amounts are sent with decimals.`,
    { code: 'unexpected_answer', status: 200 },
  );
}
