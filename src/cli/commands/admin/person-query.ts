import { UsageError } from '../../kit/errors/failure.ts';
import type { PersonQuery } from './administer.ts';

/** The orders that `--phone` or `--delivery` selects; UsageError unless exactly one is given. */
export async function personQueryOf(
  { phone, delivery }: { phone?: string | undefined; delivery?: string | undefined },
  command: string,
): Promise<PersonQuery> {
  if (phone !== undefined && delivery !== undefined)
    throw new UsageError(`\`waybill ${command}\` takes --phone or --delivery, not both.`);
  if (delivery !== undefined) return { delivery_id: delivery };
  const { phoneIn } = await import('../../../domain/phones.ts');
  const found = phoneIn(phone ?? '');
  if (found === null)
    throw new UsageError(`--phone must be a phone number such as +13125550142, not "${phone ?? ''}".`);
  return { phone: found.slice(1) };
}
