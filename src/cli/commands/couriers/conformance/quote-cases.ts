import { CourierQuote, courierPaths, Rejection } from '../../../../contract/courier-protocol/schemas.ts';
import { faultIn, fieldsIn, listIn, textIn, timeIn } from './answer-fields.ts';
import type { Case } from './case.ts';
import { statusFault } from './courier-cases.ts';
import { type Probe, Skipped } from './probe.ts';
import { nowhere } from './sample-order.ts';

const day = 24 * 60 * 60_000;

export const quoteCases: readonly Case[] = [
  {
    name: 'quote-answers',
    demand: 'quotes an order',
    test: async (probe) => {
      const { status, body } = await probe.quote();
      return statusFault(status, 200) ?? faultIn(CourierQuote, body);
    },
  },
  {
    name: 'quote-currency',
    demand: 'quotes in a currency of its description',
    test: async (probe) => {
      const currency = textIn(fieldsIn((await requestQuote(probe)).deliveryPrice), 'currency');
      const named = listIn(fieldsIn((await probe.describe()).body), 'currencies');
      return named.includes(currency) ? null : `${currency} is not one of ${named.join(', ')}`;
    },
  },
  {
    name: 'quote-expiry',
    demand: 'gives a quote some time to be used',
    test: async (probe) => {
      const expires_at = timeIn(await requestQuote(probe), 'expiresAt');
      return expires_at === null || expires_at > probe.now() ? null : 'expiresAt is in the past';
    },
  },
  {
    name: 'quote-times',
    demand: 'expects the handover after the pickup',
    test: async (probe) => {
      const eta = fieldsIn((await requestQuote(probe)).eta);
      const [pickup, delivery] = [timeIn(eta, 'pickupEtaDatetime'), timeIn(eta, 'deliveryEtaDatetime')];
      return pickup === null || delivery === null || delivery >= pickup
        ? null
        : 'deliveryEtaDatetime is before pickupEtaDatetime';
    },
  },
  {
    name: 'quote-ids',
    demand: 'gives each quote an ID of its own',
    test: async (probe) => {
      const ids = [await requestQuote(probe), await requestQuote(probe)].map((quote) =>
        textIn(quote, 'quoteId'),
      );
      return ids[0] === ids[1] ? `two quotes have the ID ${ids[0]}` : null;
    },
  },
  {
    name: 'quote-scheduled',
    demand: 'keeps to a scheduled pickup, or refuses it',
    test: async (probe) => {
      const pickup_at = probe.now() + day;
      const { status, body } = await probe.quote({ pickupDatetime: new Date(pickup_at).toISOString() });
      if (status === 422) return null;
      const eta = timeIn(fieldsIn(fieldsIn(body).eta), 'pickupEtaDatetime');
      // Couriers may round to the minute.
      return eta === null || eta >= pickup_at - 60_000
        ? null
        : 'pickupEtaDatetime is before the scheduled pickup';
    },
  },
  {
    name: 'quote-declined',
    demand: 'answers 422 for an address that it does not serve',
    test: async (probe) => statusFault((await probe.quote({ deliveryAddress: nowhere })).status, 422),
  },
  {
    name: 'quote-decline-reason',
    demand: 'gives a known reason for declining',
    test: async (probe) => {
      const { status, body } = await probe.quote({ deliveryAddress: nowhere });
      return status === 422 ? faultIn(Rejection, body) : null;
    },
  },
  {
    name: 'quote-no-json',
    demand: 'answers 400 to a body that is no JSON',
    test: async (probe) => {
      const { status } = await probe.send('POST', courierPaths.quote, '{"merchant":', probe.options.apiKey);
      return statusFault(status, 400);
    },
  },
  {
    name: 'quote-incomplete',
    demand: 'answers 400 to a quote request without a delivery address',
    test: async (probe) => {
      const { deliveryAddress: _, ...rest } = await probe.order();
      return statusFault((await probe.call('POST', courierPaths.quote, rest)).status, 400);
    },
  },
  {
    name: 'quote-unknown-field',
    demand: 'ignores fields that it does not know',
    test: async (probe) => statusFault((await probe.quote({ fieldOfALaterVersion: { a: 1 } })).status, 200),
  },
];

async function requestQuote(probe: Probe) {
  const { status, body } = await probe.quote();
  if (status !== 200) throw new Skipped(`there is no quote (status ${status})`);
  return fieldsIn(body);
}
