/** The size of a parcel: some services refuse orders without it, and waybill's own reads the sizes of items. */
import type { ApiError } from '../../client/errors.ts';
import type { OrderRequest } from '../../contract/orders.ts';
import type { Fields } from '../../domain/fields.ts';
import { readParcel, sizeOfParcel } from '../../domain/parcel.ts';
import { Failure } from '../kit/errors/failure.ts';
import { invocation, phrase } from '../kit/result/message.ts';
import type { Context } from '../session/command.ts';

const measures = ['length', 'width', 'height', 'dimension_unit', 'weight', 'weight_unit'];

/**
 * The order with the size that the profile has or the user gives, after its refusal without one. Throws the refusal
 * where the order has a size, or where there is nobody to ask.
 */
export async function withParcel(
  { settings, interactive, prompts }: Pick<Context, 'settings' | 'interactive' | 'prompts'>,
  request: OrderRequest,
  refusal: ApiError,
): Promise<OrderRequest> {
  if (measures.some((name) => Object.hasOwn(request, name))) throw refusal;
  const kept = settings.profile?.preferences?.parcel;
  if (kept !== undefined) return { ...request, ...readParcel(kept) };
  const example = '12x10x8,5';
  const line = invocation('config set', ['parcel', example]);
  if (!interactive)
    throw new Failure(2, refusal.code, refusal.message, {
      hint: phrase`Pass --length, --width and --height in inches and --weight in pounds, or set them for all orders: \`${line}\`.`,
      next: [{ ...line, when: 'set them for all orders' }],
      cause: refusal,
    });
  const text = await (await prompts()).text('Size in inches and weight in pounds, such as 12x10x8,5', {
    check: (given) => (readParcel(given) === null ? `Give it as ${example}.` : null),
  });
  return { ...request, ...readParcel(text) };
}

/** The order with sizes of its items instead of its own. */
export function withItemSizes(order: Fields): Fields {
  const size = sizeOfParcel(order);
  if (size === undefined) return order;
  const kept = Object.entries(order).filter(([name]) => !measures.includes(name));
  const { items } = order;
  const sized = Array.isArray(items) ? items.map((item: Fields) => ({ size, ...item })) : undefined;
  return { ...Object.fromEntries(kept), ...(sized && { items: sized }) };
}
