import type { Vehicle } from '../../contract/deliveries.ts';
import type { VehicleType } from '../../contract/vocabulary.ts';
import type { Chance, Driver } from '../port.ts';
import type { Courier, CourierField } from './couriers.ts';

/** Fictional people. */
const NAMES = [
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
const MODELS: Readonly<Record<Courier['usual_vehicle'], { make: string; model: string }>> = {
  bicycle: { make: 'Velora', model: 'City 7' },
  car: { make: 'Norvane', model: 'Pico' },
  suv: { make: 'Norvane', model: 'Ridge' },
  pickup_truck: { make: 'Aldera', model: 'Mule' },
  cargo_van: { make: 'Aldera', model: 'Box 2' },
  box_truck: { make: 'Aldera', model: 'Freight 16' },
};

const COLORS = ['white', 'silver', 'blue', 'red', 'black', 'green'] as const;

/** The driver's position in the sequence of drivers for a route: the first one, or a replacement. */
export interface Seat {
  courier: Courier;
  chance: Chance;
  /** 1 for the first driver. */
  number: number;
}

/** A driver's name and picture, the same in quotes and reports. */
export function portrait(seat: Seat): { name: string; image: string } {
  const name = NAMES[place(seat)] ?? NAMES[0];
  return { name, image: `https://couriers.example/${name.toLowerCase().replaceAll(' ', '-')}.jpg` };
}

/** A driver's four-digit vehicle number. */
export function vehicleNumber(seat: Seat): number {
  return 1000 + pick(seat, 'vehicle', 9000);
}

/** The details of a driver. Phone numbers are from the range reserved for fiction. */
export function driverOf(seat: Seat, vehicles: readonly VehicleType[] = []): Driver {
  const { name, image } = portrait(seat);
  const type = vehicles[0] ?? seat.courier.usual_vehicle;
  const tells = (field: CourierField) => seat.courier.courier_fields.includes(field);
  return {
    name: tells('name') ? name : null,
    image: tells('image') ? image : null,
    phone: tells('phone') ? `131255501${String(pick(seat, 'phone', 100)).padStart(2, '0')}` : null,
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
  if (seat.number === 1) return pick(seat, 'driver', NAMES.length);
  const before = place({ ...seat, number: seat.number - 1 });
  return (before + 1 + pick(seat, 'driver', NAMES.length - 1)) % NAMES.length;
}

function vehicleOf(seat: Seat, type: Courier['usual_vehicle']): Vehicle {
  const color = COLORS[pick(seat, 'color', COLORS.length)] ?? COLORS[0];
  const license_plate = type === 'bicycle' ? '' : `WB-${vehicleNumber(seat)}`;
  return { type, ...MODELS[type], color, license_plate };
}
