/**
 * `serve --sandbox --dialect burq`: requests and answers as programs for the public platform send and expect them, where
 * they differ from this interface. It changes what enters and leaves the service, and nothing that is stored.
 *
 * | Difference | Where it was seen |
 * |---|---|
 * | `burq_fee` beside `service_fee` | an answer of the platform, as a program for version 2 records it |
 * | names of couriers | the same, and programs that look for one of them |
 * | 201 for a created order | the platform's page on version 1 orders |
 * | header `Burq-Signature` beside those of Standard Webhooks | the check of a program for version 2 |
 */
import { createHmac } from 'node:crypto';
import type { Dialect } from '../runtime/service-ports.ts';

/** The names of simulated couriers: in version 2, and in lower case in version 1. Others keep theirs. */
const names: readonly (readonly [ours: string, theirs: string])[] = [
  ['swiftly', 'Uber'],
  ['poolride', 'grubhub'],
  ['metrobike', 'senpex'],
];

const theirNames = new Map(names);
const ourNames = new Map(names.map(([ours, theirs]) => [theirs.toLowerCase(), ours]));

const nameFields: readonly string[] = ['provider', 'service'];

export const burqDialect: Dialect = {
  readName: (text) => ourNames.get(text.toLowerCase()) ?? text,
  readBody: (body) => mapJson(body, readField),
  writeBody: (text) => JSON.stringify(JSON.parse(text, writeField)),
  statusOf: (operation_id, status) => (operation_id === 'CreateOrder' && status === 200 ? 201 : status),
  signatureHeaders: ({ body, now }, secrets) => {
    const t = Math.floor(now / 1000);
    const signatures = secrets.map((secret) =>
      createHmac('sha256', secret).update(`${t}.${body}`).digest('hex'),
    );
    return { 'burq-signature': [`t=${t}`, ...signatures.map((hex) => `v1=${hex}`)].join(',') };
  },
};

function writeField(name: string, value: unknown): unknown {
  if (typeof value === 'string' && nameFields.includes(name)) {
    const theirs = theirNames.get(value) ?? value;
    return name === 'service' ? theirs.toLowerCase() : theirs;
  }
  const isQuote = typeof value === 'object' && value !== null && 'object' in value;
  if (!isQuote || value.object !== 'route_quote' || !('service_fee' in value)) return value;
  return { ...value, burq_fee: value.service_fee };
}

/** The names of couriers in requests: `providers` of settings, and a provider of a retry. */
const readFields: readonly string[] = ['providers', 'provider', 'exclude_provider'];

function readField(name: string, value: unknown): unknown {
  if (!readFields.includes(name)) return value;
  if (typeof value === 'string') return value.split(',').map(burqDialect.readName).join(',');
  return Array.isArray(value) ? value.map((each: unknown) => readField('provider', each)) : value;
}

/** Maps the fields of an object or list; any other value stays as it is. */
function mapJson(value: unknown, map: (name: string, value: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return JSON.parse(JSON.stringify(value), map);
}
