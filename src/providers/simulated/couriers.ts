/**
 * The simulated couriers with their figures. All names are fictional. Amounts in cents, distances in tenths of a
 * mile.
 */
import type { Vehicle } from '../../contract/deliveries.ts';
import type { DeliveryStatus, ItemSize, ProofType, VehicleType } from '../../contract/vocabulary.ts';
import { drivenStatuses } from '../../domain/delivery-states.ts';
import type { Pace } from '../../domain/timetable.ts';
import type { Chance, Driver } from '../port.ts';

export type QuoteExtra = 'courier_name' | 'courier_image' | 'vehicle_id' | 'pickup_time';

/** The driver details that it reports; `location` is the position. */
type CourierField = 'name' | 'image' | 'phone' | 'vehicle' | 'location';

/** The fee for a merchant's cancellation before pickup; afterwards cancellations are refused. */
export interface CancelRule {
  /** How long a cancellation is free; null: never. */
  free: 'until_assigned' | { minutes_from_acceptance: number } | { minutes_before_pickup: number } | null;
  /** Afterwards: a share of the delivery's cost, a fixed fee in cents, or refused. */
  later: { percent: number } | { cents: number } | 'refused';
}

/** A provider's prices: amounts in cents, distances in tenths of a mile. */
export interface Tariff {
  base: number;
  per_mile: number;
  minimum: number;
  /** The distance that the base price includes. */
  included_tenths: number;
  /** For each stop in addition to the first pickup and the last dropoff. */
  extra_stop: number;
}

export interface Courier {
  name: string;
  only_when_named: boolean;
  tariff: Tariff;
  max_distance_tenths: number;
  max_stops: number;
  largest_item: ItemSize;
  vehicles: readonly VehicleType[];
  /** The vehicle if none is requested. */
  usual_vehicle: VehicleType | 'bicycle';
  /** Whether scheduled deliveries are accepted. */
  scheduled: 'yes' | 'no' | 'only';
  quote_answer_seconds: number;
  /** Null if quotes do not expire. */
  quote_life_minutes: number | null;
  /** The quote fields that it fills in addition to price and times. */
  quote_extras: readonly QuoteExtra[];
  pace: Pace;
  /** The statuses that it reports for an ordinary delivery. Every courier reports exceptions. */
  statuses: readonly DeliveryStatus[];
  /** `shuffled`: reports arrive out of order, each twice. */
  feed: 'in_order' | 'shuffled';
  courier_fields: readonly CourierField[];
  /** Whether recipients may call its drivers. */
  takes_recipient_calls: boolean;
  proof: readonly ProofType[];
  /** How long after `delivered` its proof arrives. */
  proof_late_minutes: number;
  cancel: CancelRule;
  /** The price of a return, in percent of the delivery's cost. */
  return_percent: number;
  idempotent_create: boolean;
}

/** The statuses of an ordinary delivery, in order. */
export const everyStatus: readonly DeliveryStatus[] = [...drivenStatuses, 'delivered'];

const everyField = ['name', 'image', 'phone', 'vehicle', 'location'] as const;

/** What most couriers have; each names what it has otherwise. */
const usual = {
  only_when_named: false,
  largest_item: 'large',
  vehicles: ['car'],
  usual_vehicle: 'car',
  quote_extras: ['pickup_time'],
  statuses: everyStatus,
  feed: 'in_order',
  courier_fields: everyField,
  takes_recipient_calls: false,
  proof_late_minutes: 0,
  idempotent_create: true,
} as const;

/** Cars on demand. */
const swiftly: Courier = {
  ...usual,
  name: 'swiftly',
  tariff: { base: 599, per_mile: 125, minimum: 799, included_tenths: 10, extra_stop: 250 },
  max_distance_tenths: 100,
  max_stops: 10,
  scheduled: 'yes',
  quote_answer_seconds: 2,
  quote_life_minutes: 15,
  quote_extras: ['courier_name', 'courier_image', 'vehicle_id', 'pickup_time'],
  pace: {
    speed_mph: 18,
    long_leg: { over_tenths: 50, speed_mph: 28 },
    assigned_after_minutes: 2,
    assigned_ahead_minutes: 15,
  },
  takes_recipient_calls: true,
  proof: ['photo', 'signature', 'pin'],
  cancel: { free: 'until_assigned', later: { percent: 50 } },
  return_percent: 60,
};

/** Bikes for short distances. */
const metrobike: Courier = {
  ...usual,
  name: 'metrobike',
  tariff: { base: 449, per_mile: 150, minimum: 649, included_tenths: 5, extra_stop: 200 },
  max_distance_tenths: 30,
  max_stops: 4,
  largest_item: 'medium',
  vehicles: [],
  usual_vehicle: 'bicycle',
  scheduled: 'no',
  quote_answer_seconds: 1,
  quote_life_minutes: 5,
  pace: { speed_mph: 9, assigned_after_minutes: 1, assigned_ahead_minutes: null },
  courier_fields: ['name', 'image', 'vehicle', 'location'],
  proof: ['photo'],
  cancel: { free: 'until_assigned', later: 'refused' },
  return_percent: 0,
};

/** Many deliveries in one batch, cheap and slow. */
const poolride: Courier = {
  ...usual,
  name: 'poolride',
  tariff: { base: 399, per_mile: 85, minimum: 599, included_tenths: 0, extra_stop: 175 },
  max_distance_tenths: 250,
  max_stops: 26,
  scheduled: 'yes',
  quote_answer_seconds: 4,
  quote_life_minutes: 10,
  pace: { speed_mph: 16, assigned_after_minutes: 6, assigned_ahead_minutes: 20 },
  statuses: ['driver_assigned', 'enroute_pickup', 'pickup_complete', 'dropoff_complete', 'delivered'],
  courier_fields: ['name', 'phone', 'vehicle', 'location'],
  takes_recipient_calls: true,
  proof: ['photo'],
  cancel: { free: { minutes_from_acceptance: 5 }, later: { cents: 299 } },
  return_percent: 60,
};

/** Vans, for freight. */
const haulvan: Courier = {
  ...usual,
  name: 'haulvan',
  tariff: { base: 1999, per_mile: 190, minimum: 2499, included_tenths: 0, extra_stop: 600 },
  max_distance_tenths: 600,
  max_stops: 15,
  largest_item: 'extra_large',
  vehicles: ['suv', 'pickup_truck', 'cargo_van', 'box_truck'],
  usual_vehicle: 'cargo_van',
  scheduled: 'yes',
  quote_answer_seconds: 3,
  quote_life_minutes: 60,
  pace: { speed_mph: 16, assigned_after_minutes: 15, assigned_ahead_minutes: 30 },
  proof: ['photo', 'signature'],
  cancel: { free: null, later: { cents: 999 } },
  return_percent: 100,
  idempotent_create: false,
};

/** Scheduled deliveries only. */
const nightowl: Courier = {
  ...usual,
  name: 'nightowl',
  tariff: { base: 699, per_mile: 70, minimum: 899, included_tenths: 20, extra_stop: 150 },
  max_distance_tenths: 400,
  max_stops: 26,
  scheduled: 'only',
  quote_answer_seconds: 3,
  quote_life_minutes: null,
  quote_extras: [],
  pace: { speed_mph: 18, assigned_after_minutes: 0, assigned_ahead_minutes: 30 },
  statuses: ['driver_assigned', 'pickup_complete', 'delivered'],
  courier_fields: ['name'],
  proof: [],
  cancel: { free: { minutes_before_pickup: 60 }, later: { percent: 100 } },
  return_percent: 50,
};

/** Fails on purpose; quotes only when requested by name. */
const flakyCo: Courier = {
  ...usual,
  name: 'flaky_co',
  only_when_named: true,
  tariff: { base: 549, per_mile: 110, minimum: 699, included_tenths: 10, extra_stop: 250 },
  max_distance_tenths: 150,
  max_stops: 10,
  scheduled: 'no',
  quote_answer_seconds: 5,
  quote_life_minutes: 5,
  pace: { speed_mph: 18, assigned_after_minutes: 4, assigned_ahead_minutes: null },
  feed: 'shuffled',
  proof: ['photo'],
  proof_late_minutes: 10,
  cancel: { free: 'until_assigned', later: { percent: 50 } },
  return_percent: 60,
  idempotent_create: false,
};

/** In listing order. */
export const couriers: readonly Courier[] = [swiftly, metrobike, poolride, haulvan, nightowl, flakyCo];

/** Fictional people. */
const driverNames = [
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

/** Fictional makes. */
const vehicleModels: Readonly<Record<Courier['usual_vehicle'], { make: string; model: string }>> = {
  bicycle: { make: 'Velora', model: 'City 7' },
  car: { make: 'Norvane', model: 'Pico' },
  suv: { make: 'Norvane', model: 'Ridge' },
  pickup_truck: { make: 'Aldera', model: 'Mule' },
  cargo_van: { make: 'Aldera', model: 'Box 2' },
  box_truck: { make: 'Aldera', model: 'Freight 16' },
};

const vehicleColors = ['white', 'silver', 'blue', 'red', 'black', 'green'] as const;

/** The driver's position in the sequence of drivers for a route: the first one, or a replacement. */
export interface Seat {
  courier: Courier;
  chance: Chance;
  /** 1 for the first driver. */
  number: number;
}

/** A driver's name and picture, the same in quotes and reports. */
export function portrait(seat: Seat): { name: string; image: string } {
  const name = driverNames[place(seat)] ?? driverNames[0];
  return { name, image: `https://couriers.example/${name.toLowerCase().replaceAll(' ', '-')}.jpg` };
}

/** A driver's four-digit vehicle number. */
export function vehicleNumber(seat: Seat): number {
  return 1000 + pick(seat, 'vehicle', 9000);
}

/** The details of a driver. Phone numbers are from the range reserved for fiction, in another area code than those of the examples. */
export function driverOf(seat: Seat, vehicles: readonly VehicleType[] = []): Driver {
  const { name, image } = portrait(seat);
  const type = vehicles[0] ?? seat.courier.usual_vehicle;
  const tells = (field: CourierField) => seat.courier.courier_fields.includes(field);
  return {
    name: tells('name') ? name : null,
    image: tells('image') ? image : null,
    phone: tells('phone') ? `187255501${String(pick(seat, 'phone', 100)).padStart(2, '0')}` : null,
    vehicle_type: tells('vehicle') ? type : null,
    vehicle: tells('vehicle') ? vehicleOf(seat, type) : null,
  };
}

/** A random number in [0, 1) for this driver. */
export function draw({ courier, chance, number }: Seat, what: string): number {
  return chance(number === 1 ? `${courier.name} ${what}` : `${courier.name} ${what} ${number}`);
}

function pick(seat: Seat, what: string, count: number): number {
  return Math.floor(draw(seat, what) * count);
}

/** A replacement is always a different person. */
function place(seat: Seat): number {
  if (seat.number === 1) return pick(seat, 'driver', driverNames.length);
  const before = place({ ...seat, number: seat.number - 1 });
  return (before + 1 + pick(seat, 'driver', driverNames.length - 1)) % driverNames.length;
}

function vehicleOf(seat: Seat, type: Courier['usual_vehicle']): Vehicle {
  const color = vehicleColors[pick(seat, 'color', vehicleColors.length)] ?? vehicleColors[0];
  const license_plate = type === 'bicycle' ? '' : `WB-${vehicleNumber(seat)}`;
  return { type, ...vehicleModels[type], color, license_plate };
}
