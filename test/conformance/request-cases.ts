import {
  CourierDelivery,
  CourierDescription,
  CourierError,
  CourierQuote,
  courierPaths,
  courierProtocol,
  Rejection,
} from '../../src/contract/courier-protocol/schemas.ts';
import {
  type Case,
  eventsIn,
  eventTypes,
  faultIn,
  fieldsIn,
  isDone,
  listIn,
  nowhere,
  type Probe,
  Skipped,
  statusFault,
  textIn,
  timeIn,
} from './probe.ts';

/** The cases about the description of the courier, its API key and its errors. */
export const courierCases: readonly Case[] = [
  {
    name: 'describe-answers',
    demand: 'describes itself',
    test: async (probe) => {
      const { status, body } = await probe.describe();
      return statusFault(status, 200) ?? faultIn(CourierDescription, body);
    },
  },
  {
    name: 'describe-protocol',
    demand: 'names the version of the protocol',
    test: async (probe) => {
      const protocol = textIn(fieldsIn((await probe.describe()).body), 'protocol');
      return protocol === courierProtocol ? null : `protocol is ${protocol}, not ${courierProtocol}`;
    },
  },
  {
    name: 'describe-test-mode',
    demand: 'says that deliveries of this API key are not real',
    test: async (probe) => {
      const { liveMode } = fieldsIn((await probe.describe()).body);
      return liveMode === true ? 'liveMode is true' : null;
    },
  },
  {
    name: 'key-required',
    demand: 'answers 401 without an API key',
    test: async (probe) => {
      for (const [method, path] of keyedCalls) {
        const { status } = await probe.call(method, path, method === 'GET' ? undefined : {}, null);
        if (status !== 401) return statusFault(status, 401, `the status of ${method} ${path}`);
      }
      return null;
    },
  },
  {
    name: 'key-verified',
    demand: 'answers 401 to another API key',
    test: async (probe) => {
      const { status } = await probe.call('GET', courierPaths.describe, undefined, otherKey);
      return statusFault(status, 401);
    },
  },
  {
    name: 'json-answers',
    demand: 'labels its answers as JSON',
    test: async (probe) => {
      const { type } = await probe.describe();
      return type.startsWith('application/json') ? null : `content-type is ${type || 'missing'}`;
    },
  },
  {
    name: 'error-message',
    demand: 'explains errors to people',
    test: async (probe) => faultIn(CourierError, (await probe.read(probe.orderId())).body),
  },
];

const keyedCalls = [
  ['GET', courierPaths.describe],
  ['POST', courierPaths.quote],
  ['GET', '/deliveries/check_unknown'],
] as const;

const otherKey = 'a-key-that-no-courier-gave';

/** The cases about quotes. */
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

const day = 24 * 60 * 60_000;

async function requestQuote(probe: Probe) {
  const { status, body } = await probe.quote();
  if (status !== 200) throw new Skipped(`there is no quote (status ${status})`);
  return fieldsIn(body);
}

/** The cases about creating and reading deliveries. */
export const deliveryCases: readonly Case[] = [
  {
    name: 'create-answers',
    demand: 'creates a delivery',
    test: async (probe) => {
      const { answer } = await probe.book();
      return statusFault(answer.status, 201) ?? faultIn(CourierDelivery, answer.body);
    },
  },
  {
    name: 'create-order-id',
    demand: 'names the order as waybill does',
    test: async (probe) => {
      const { orderId, answer } = await probe.book();
      const named = textIn(fieldsIn(answer.body), 'orderId');
      return named === orderId ? null : `orderId is ${named}, not ${orderId}`;
    },
  },
  {
    name: 'create-price',
    demand: 'charges the quoted price',
    test: async (probe) => {
      const quote = await requestQuote(probe);
      const order = { quoteId: quote.quoteId, ...(await probe.order()) };
      const answer = await probe.create(probe.orderId(), order);
      if (!isDone(answer)) throw new Skipped('no delivery could be booked');
      const [asked, charged] = [quote, fieldsIn(answer.body)].map(
        (each) => fieldsIn(each.deliveryPrice).value,
      );
      return asked === charged ? null : `the delivery costs ${charged}, its quote ${asked}`;
    },
  },
  {
    name: 'create-test-mode',
    demand: 'marks the delivery as not real',
    test: async (probe) => {
      const { liveMode } = fieldsIn((await probe.book()).answer.body);
      return liveMode === true ? 'liveMode is true' : null;
    },
  },
  {
    name: 'create-first-event',
    demand: 'begins with PENDING or ACCEPTED',
    test: async (probe) => {
      const [first] = eventTypes((await probe.book()).answer.body);
      const isFirst = first === undefined || first === 'PENDING' || first === 'ACCEPTED';
      return isFirst ? null : `the first event is ${first}`;
    },
  },
  {
    name: 'create-repeated',
    demand: 'answers a repeated create with the first delivery',
    test: async (probe) => {
      const { orderId, request, answer } = await probe.book();
      const repeat = await probe.create(orderId, request);
      const ids = [answer.body, repeat.body].map((each) => fieldsIn(each).deliveryId);
      return (
        statusFault(repeat.status, 200) ??
        (ids[0] === ids[1] ? null : `the repeat made ${ids[1]} beside ${ids[0]}`)
      );
    },
  },
  {
    name: 'create-conflict',
    demand: 'answers 409 to another order under the same ID',
    test: async (probe) => {
      const { orderId, request } = await probe.book();
      const other = { ...request, customerName: 'Grace Hopper' };
      return statusFault((await probe.create(orderId, other)).status, 409);
    },
  },
  {
    name: 'create-at-once',
    demand: 'makes one delivery of creates that arrive at once',
    test: async (probe) => {
      const [orderId, request] = [probe.orderId(), await probe.request()];
      const answers = await Promise.all(Array.from({ length: 5 }, () => probe.create(orderId, request)));
      const ids = new Set(answers.filter(isDone).map(({ body }) => fieldsIn(body).deliveryId));
      return ids.size <= 1 ? null : `five creates made ${ids.size} deliveries`;
    },
  },
  {
    name: 'create-unknown-quote',
    demand: 'answers 422 with QUOTE_EXPIRED to a quote that it does not know',
    test: async (probe) => {
      const order = { quoteId: 'check_unknown', ...(await probe.order()) };
      const { status, body } = await probe.create(probe.orderId(), order);
      const reason = textIn(fieldsIn(fieldsIn(body).rejectionInfo), 'reason');
      return (
        statusFault(status, 422) ??
        faultIn(Rejection, body) ??
        (reason === 'QUOTE_EXPIRED' ? null : `the reason is ${reason}`)
      );
    },
  },
  {
    name: 'create-without-quote',
    demand: 'creates a delivery without a quote',
    test: async (probe) => {
      const { status } = await probe.create(probe.orderId(), { quoteId: null, ...(await probe.order()) });
      return status >= 200 && status < 300 ? null : `the status is ${status}, not 201`;
    },
  },
  {
    name: 'create-incomplete',
    demand: 'answers 400 to an order without a customer',
    test: async (probe) => {
      const { customerName: _, ...rest } = await probe.request();
      return statusFault((await probe.create(probe.orderId(), rest)).status, 400);
    },
  },
  {
    name: 'read-answers',
    demand: "finds a delivery under waybill's ID",
    test: async (probe) => {
      const { orderId, answer } = await probe.book();
      const { status, body } = await probe.read(orderId);
      const ids = [answer.body, body].map((each) => fieldsIn(each).deliveryId);
      return (
        statusFault(status, 200) ?? (ids[0] === ids[1] ? null : `deliveryId is ${ids[1]}, not ${ids[0]}`)
      );
    },
  },
  {
    name: 'read-unknown',
    demand: 'answers 404 for an order that it does not know',
    test: async (probe) => statusFault((await probe.read(probe.orderId())).status, 404),
  },
  {
    name: 'read-stable',
    demand: 'never changes the ID of an event',
    test: async (probe) => {
      const { orderId } = await probe.book();
      const idsOf = ({ body }: { body: unknown }) => eventsIn(body).map(({ id }) => id);
      const first = idsOf(await probe.read(orderId));
      // Others may have happened meanwhile.
      const second = idsOf(await probe.read(orderId)).slice(0, first.length);
      const [before, after] = [first.join(', '), second.join(', ')];
      return before === after ? null : `events ${before} were ${after} when read again`;
    },
  },
];
