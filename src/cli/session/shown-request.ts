import type { WireRequest } from '../../contract/operation.ts';

/** A request as it may be shown: without the settings of a courier, some of which are secret. */
export function shownRequestOf<T extends Pick<WireRequest, 'path' | 'body'>>(request: T): T {
  const isSettings = /^\/v2\/couriers\/[^/]+$/.test(request.path) && request.body !== '';
  return isSettings ? { ...request, body: withoutSettings(request.body) } : request;
}

const hidden = '…';

function withoutSettings(body: string): string {
  try {
    const { settings } = JSON.parse(body);
    const names = Object.keys(settings);
    return JSON.stringify({ settings: Object.fromEntries(names.map((name) => [name, hidden])) });
  } catch {
    return hidden;
  }
}
