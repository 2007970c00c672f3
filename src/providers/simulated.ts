import { planTimes } from '../domain/eta.ts';
import { costOfDelivery } from '../domain/pricing.ts';
import { countHalts } from '../domain/stops.ts';
import type { Courier, QuoteExtra } from './couriers.ts';
import { declineReason } from './declining.ts';
import type { Chance, CreateAnswer, Provider, Quoted, QuoteRequest } from './port.ts';

const MINUTE = 60_000;

/** Fictional people. */
const DRIVERS = [
  'Amara Osei',
  'Beatriz Lima',
  'Carlos Mendez',
  'Dana Whitfield',
  'Emeka Nwosu',
  'Farah Haddad',
  'Grace Lindqvist',
  'Hiro Tanabe',
  'Imani Brooks',
  'Jonas Feld',
  'Keiko Marsh',
  'Luis Arroyo',
] as const;

/** A courier that exists only as figures: the same route at the same instant always gets the same answer. */
export function simulatedProvider(courier: Courier): Provider {
  const accepted = new Map<string, CreateAnswer>();
  return {
    name: courier.name,
    answer_delay_ms: courier.quote_answer_seconds * 1000,
    only_when_named: courier.only_when_named,
    idempotent_create: courier.idempotent_create,
    quote: async (request) => declineReason(courier, request) ?? offer(courier, request),
    create: async ({ reference }) => {
      const answer: CreateAnswer = { kind: 'accepted', reference };
      accepted.set(reference, answer);
      return answer;
    },
    find: async (reference) => accepted.get(reference) ?? null,
  };
}

function offer(courier: Courier, request: QuoteRequest): Quoted {
  const { pickup_eta, dropoff_eta, stop_etas } = planTimes(courier.pace, request.stops, request);
  const life = courier.quote_life_minutes;
  return {
    kind: 'quoted',
    cost_of_delivery: costOfDelivery(courier.tariff, request.distance_tenths, countHalts(request.stops)),
    order_costs: request.direct_tenths.map((tenths) => costOfDelivery(courier.tariff, tenths, 2)),
    pickup_eta,
    dropoff_eta,
    stop_etas,
    expires_at: life === null ? null : request.now + life * MINUTE,
    ...extras(courier, request.chance, pickup_eta),
  };
}

function extras(courier: Courier, chance: Chance, pickup_time: number): Pick<Quoted, QuoteExtra> {
  const driver = DRIVERS[pick(chance, `${courier.name} driver`, DRIVERS.length)] ?? DRIVERS[0];
  const image = driver.toLowerCase().replaceAll(' ', '-');
  const tells = (extra: QuoteExtra) => courier.quote_extras.includes(extra);
  return {
    ...(tells('courier_name') && { courier_name: driver }),
    ...(tells('courier_image') && { courier_image: `https://couriers.example/${image}.jpg` }),
    ...(tells('vehicle_id') && { vehicle_id: vehicleId(courier, chance) }),
    ...(tells('pickup_time') && { pickup_time }),
  };
}

function vehicleId(courier: Courier, chance: Chance): string {
  return `${courier.name}-${1000 + pick(chance, `${courier.name} vehicle`, 9000)}`;
}

function pick(chance: Chance, purpose: string, count: number): number {
  return Math.floor(chance(purpose) * count);
}
