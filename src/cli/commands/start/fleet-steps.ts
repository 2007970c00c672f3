import type { LinkedDriver } from '../../../contract/drivers.ts';
import type { TapKind } from '../../../contract/vocabulary.ts';
import { invocation, shellLine } from '../../kit/result/invocation.ts';
import type { StepText } from './tour-steps.ts';

/** The driver of the tour; the phone number is reserved for fiction. */
export const driver = { name: 'Sam Lee', phone_number: '+13125550133' };

/** The labels of the buttons on the driver's page. */
export const tapLabels = {
  accept: 'Accept',
  start_pickup: 'Start',
  arrive_pickup: 'Arrived',
  pick_up: 'Picked up',
  start_dropoff: 'Start',
  arrive_dropoff: 'Arrived',
  deliver: 'Delivered',
} as const satisfies Partial<Record<TapKind, string>>;

/** A button that reports a status. */
export type TourTap = keyof typeof tapLabels;

export function driverStep(data: LinkedDriver): StepText {
  return {
    title: 'Add a driver',
    about: "A driver needs a phone with a browser: the link opens the driver's page.",
    command: shellLine(invocation('drivers add', [data.name], { phone: driver.phone_number })),
    happened: [
      `${data.id} is ${data.name}, by ${data.vehicle_type}.`,
      `${data.name}'s page: ${data.link}`,
      'It works on this machine until the tour ends, and is brought up to date every 15 seconds.',
    ],
    data,
  };
}

export function dutyStep(data: { name: string; on_duty: boolean }): StepText {
  return {
    title: 'Go on duty',
    about: "Only drivers on duty get deliveries. The taps on the driver's page are simulated.",
    command: shellLine(invocation('drivers list')),
    happened: [`${data.name} taps Go on duty, and is ${data.on_duty ? 'on' : 'off'} duty.`],
    data,
  };
}

export function driveStep(data: { id: string }): StepText {
  return {
    title: 'Drive',
    about: 'Each tap reports a status, which the shop and the recipient see. The time on the way is skipped.',
    command: shellLine(invocation('deliveries watch', [data.id])),
    happened: [`Following ${data.id}:`],
    data,
  };
}
