import { request } from 'undici';
import type { CourierPorts } from '../../src/providers/courier.ts';
import { ProviderBusy, ProviderFault } from '../../src/providers/port.ts';

/** The ports of an adapter, with the origins of couriers mapped to those of their fakes. */
export function portsTo(
  origins: Readonly<Record<string, string>>,
  now: () => number = Date.now,
  test_mode = true,
): CourierPorts {
  return {
    now,
    test_mode,
    http: async ({ method, url, headers, body }) => {
      const { origin, pathname, search } = new URL(url);
      const fake = origins[origin];
      if (fake === undefined) throw new Error(`The test has no fake for ${origin}`);
      const answer = await request(`${fake}${pathname}${search}`, {
        method,
        headers,
        body: body ?? null,
      }).catch((error: Error) => {
        throw new ProviderFault(error.message);
      });
      const text = await answer.body.text();
      if (answer.statusCode === 429) throw new ProviderBusy('rate limited', 1);
      return { status: answer.statusCode, headers: plain(answer.headers), body: text };
    },
  };
}

function plain(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
