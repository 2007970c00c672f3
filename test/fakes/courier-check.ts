import type { CourierPorts } from '../../src/providers/courier.ts';
import type { CourierConnections } from '../../src/service/runtime/courier-connections.ts';
import { hasDrivers } from '../../src/storage/drivers.ts';

/** Uber Direct and DoorDash Drive as far as a check of their settings goes: both accept every secret. */
export const acceptingCouriers: CourierPorts['http'] = async ({ url }) => {
  const [status, body] = answerTo(new URL(url));
  return { status, headers: {}, body: JSON.stringify(body) };
};

function answerTo({ host, pathname }: URL): [status: number, body: object] {
  if (host === 'auth.uber.com') return [200, { access_token: 'token', expires_in: 3_600 }];
  if (host === 'api.uber.com') return [200, { data: [] }];
  if (pathname === '/developer/v1/businesses') return [200, { result: [] }];
  return [404, { code: 'unknown_delivery_id' }];
}

/** Connections that are stored and never asked for quotes; own drivers are. */
export const unusedConnections: CourierConnections = {
  enabled: async (db, scope) => ((await hasDrivers(db, scope)) ? ['fleet'] : []),
  settings: async () => null,
  forget: () => {},
};

/** Settings of DoorDash Drive; the environment decides the mode that they are for. */
export function doorDashSettings(environment: 'sandbox' | 'production') {
  return {
    developer_id: 'dev-1',
    key_id: 'key-1',
    signing_secret: 'c2lnbmluZy1zZWNyZXRfLS1fLQ',
    environment,
  };
}
