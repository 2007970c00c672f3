import type { Quoted } from '../../providers/port.ts';
import type { QuoteRow } from '../../storage/database.ts';
import type { QuoteRecord } from './quote-handlers.ts';

/** The columns of a quote that the answer of a provider does not contain. */
interface QuoteOrigin extends Omit<QuoteRow, 'cost_of_delivery' | 'service_fee' | 'expires_at' | 'record'> {
  /** Further fields of the record. */
  context: Pick<QuoteRecord, 'round' | 'place'>;
}

/** Makes the row of a provider's quote. */
export function newQuoteRow(quoted: Quoted, { context, ...origin }: QuoteOrigin): QuoteRow {
  const { kind: _, cost_of_delivery, expires_at, service_fee, ...rest } = quoted;
  const record: QuoteRecord = { ...rest, ...context };
  return {
    ...origin,
    ...{ cost_of_delivery, service_fee, expires_at },
    record: JSON.stringify(record),
  };
}
