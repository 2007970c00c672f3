import {
  CourierDescription,
  CourierError,
  courierPaths,
  courierProtocol,
} from '../../../../contract/courier-protocol/schemas.ts';
import { faultIn, fieldsIn, textIn } from './answer-fields.ts';
import type { Case } from './case.ts';

const otherKey = 'a-key-that-no-courier-gave';

/** Gives a fault if a status differs. */
export function statusFault(status: number, wanted: number, what = 'the status'): string | null {
  return status === wanted ? null : `${what} is ${status}, not ${wanted}`;
}

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
