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

/** Makes that nobody makes. */
const MODELS: Readonly<Record<Courier['usual_vehicle'], { make: string; model: string }>> = {
  bicycle: { make: 'Velora', model: 'City 7' },
  car: { make: 'Norvane', model: 'Pico' },
  suv: { make: 'Norvane', model: 'Ridge' },
  pickup_truck: { make: 'Aldera', model: 'Mule' },
  cargo_van: { make: 'Aldera', model: 'Box 2' },
  box_truck: { make: 'Aldera', model: 'Freight 16' },
};

const COLORS = ['white', 'silver', 'blue', 'red', 'black', 'green'] as const;

/** Who drives: the courier's first driver of a route, or the one who comes in their place. */
export interface Seat {
  courier: Courier;
  chance: Chance;
  /** 1 for the first driver. */
  number: number;
}

/** The name and the picture of a driver, the same in quotes and in reports. */
export function portrait(seat: Seat): { name: string; image: string } {
  const name = NAMES[place(seat)] ?? NAMES[0];
  return { name, image: `https://couriers.example/${name.toLowerCase().replaceAll(' ', '-')}.jpg` };
}

/** The number of a driver's vehicle, of four digits. */
export function vehicleNumber(seat: Seat): number {
  return 1000 + pick(seat, 'vehicle', 9000);
}

/** All that the courier tells of a driver. Phones are of the range that is kept for fiction. */
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

/** A number from 0 up to but not 1 of this driver's own. */
export function draw({ courier, chance, number }: Seat, what: string): number {
  return chance(number === 1 ? `${courier.name} ${what}` : `${courier.name} ${what} ${number}`);
}

function pick(seat: Seat, what: string, count: number): number {
  return Math.floor(draw(seat, what) * count);
}

/** Whoever comes in another's place is somebody else. */
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
