/** All couriers that there are, each loaded on its first use. */
import type { GeocoderName } from '../domain/operator-settings.ts';
import { type ConnectableCourier, type CourierParts, courierProvider } from './courier-provider.ts';
import type { GeocoderAdapter } from './place-services.ts';
import type { CourierRecords, Provider } from './port.ts';
import { type Courier, couriers } from './simulated/couriers.ts';
import type { Simulated } from './simulated/simulated-provider.ts';

/** The couriers that merchants can connect, in listing order. */
export const connectableCouriers: readonly ConnectableCourier[] = [
  {
    name: 'uber-direct',
    load: () => import('./uber-direct/adapter.ts').then(({ uberDirect }) => uberDirect),
  },
  {
    name: 'doordash-drive',
    load: () => import('./doordash-drive/adapter.ts').then(({ doorDashDrive }) => doorDashDrive),
  },
  {
    name: 'http',
    load: () => import('./http-courier/adapter.ts').then(({ httpCourier }) => httpCourier),
  },
];

/** The adapter of a geocoder; its code is loaded with the first request. */
export async function geocoderAdapter(name: GeocoderName): Promise<GeocoderAdapter> {
  const { census, nominatim } = await import('./geocoder-adapters.ts');
  return name === 'census' ? census : nominatim;
}

export function courierProviders(parts: CourierParts): Provider[] {
  return connectableCouriers.map((courier) => courierProvider(courier, parts));
}

/** The simulated providers in listing order, with the records that they keep. */
export function simulatedProviders(records: CourierRecords): Provider[] {
  return couriers.map((courier) => providerOf(courier, records));
}

/** The implementation is loaded on the first call: most commands make none. */
function providerOf(courier: Courier, records: CourierRecords): Provider {
  let loaded: Promise<Simulated> | undefined;
  const called = () => {
    loaded ??= import('./simulated/simulated-provider.ts').then(({ simulated }) =>
      simulated(courier, records),
    );
    return loaded;
  };
  return {
    name: courier.name,
    answer_delay_ms: courier.quote_answer_seconds * 1000,
    only_when_named: courier.only_when_named,
    is_remote: false,
    quotes_at_once: true,
    takes_recipient_calls: courier.takes_recipient_calls,
    isAvailable: ({ test_mode }) => test_mode,
    quote: async (request) => (await called()).quote(request),
    create: async (request) => (await called()).create(request),
    find: async (request) => (await called()).find(request),
    cancelTerms: async (request) => (await called()).cancelTerms(request),
    cancel: async (request) => (await called()).cancel(request),
    returnPrice: async (cost_of_delivery) => (await called()).returnPrice(cost_of_delivery),
    simulation: {
      feed: async (route) => (await called()).feed(route),
      step: async (route, step) => (await called()).step(route, step),
    },
  };
}
