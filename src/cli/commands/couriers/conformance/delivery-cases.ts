import { CourierDelivery, Rejection } from '../../../../contract/courier-protocol/schemas.ts';
import { faultIn, fieldsIn, textIn } from './answer-fields.ts';
import type { Case } from './case.ts';
import { statusFault } from './courier-cases.ts';
import { eventsIn, eventTypes, isDone, Skipped } from './probe.ts';

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
      const quote = fieldsIn((await probe.quote()).body);
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
      const [first, second] = [await probe.read(orderId), await probe.read(orderId)].map(({ body }) =>
        eventsIn(body)
          .map(({ id }) => id)
          .join(', '),
      );
      return first === second ? null : `events ${first} were ${second} when read again`;
    },
  },
];
