import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { listenLocally } from '../../local-server.ts';

/** The answer that a fake gives to a request; undefined leaves the request open. */
export interface FakeAnswer {
  status?: number;
  type?: string;
  body?: string;
  headers?: Record<string, string>;
}

export interface FakeServer {
  url: string;
  /** The paths with their queries, in order. */
  requests: string[];
  /** Answers the following requests; by default as documented. */
  answer: (next: (url: URL) => FakeAnswer | undefined) => void;
}

/** A server of a test's own, which ends with the test. */
export async function fakeServer(usual: (url: URL) => FakeAnswer | undefined): Promise<FakeServer> {
  let answerOf = usual;
  const requests: string[] = [];
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    requests.push(request.url ?? '');
    const answer = answerOf(new URL(request.url ?? '', 'http://fake'));
    if (answer === undefined) return;
    const { status = 200, type = 'application/json', body = '', headers = {} } = answer;
    response.writeHead(status, { 'content-type': type, ...headers }).end(body);
  };
  const { port, close } = await listenLocally(createServer(handle));
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answer: (next) => {
      answerOf = next;
    },
  };
}

/**
 * One place in the form of Nominatim's `jsonv2`, after a documented sample of a building in the USA: this is no answer of
 * the real server.
 */
export function nominatimPlace(changes: {
  lat: number;
  lon: number;
  address?: Record<string, string>;
  [field: string]: unknown;
}) {
  const { lat, lon, address = {}, ...rest } = changes;
  return {
    ...{
      place_id: 297956286,
      licence: 'Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright',
    },
    ...{ osm_type: 'way', osm_id: 1028144387, category: 'building', type: 'yes', place_rank: 30 },
    ...{ importance: 0.0000534, addresstype: 'building', name: '' },
    ...{ lat: String(lat), lon: String(lon) },
    address: {
      ...{ house_number: '233', road: 'South Wacker Drive', city: 'Chicago', state: 'Illinois' },
      ...{ 'ISO3166-2-lvl4': 'US-IL', postcode: '60606', country: 'United States', country_code: 'us' },
      ...address,
    },
    ...rest,
  };
}

/** Finds the house of every address at a point that depends on it, near the centre of Chicago. */
export function fakeNominatim(): Promise<FakeServer> {
  return fakeServer((url) => {
    const street = url.searchParams.get('street') ?? '';
    const house_number = /^\d+/.exec(street)?.[0] ?? '';
    const offset = [...street].reduce((sum, sign) => (sum + sign.charCodeAt(0)) % 100, 0) / 10_000;
    const place = nominatimPlace({
      lat: 41.88 + offset,
      lon: -87.63,
      address: { house_number, road: street },
    });
    return { body: JSON.stringify([place]) };
  });
}
