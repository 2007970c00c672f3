import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { CourierBooked, CourierMessage, CourierReply, CourierService } from './courier-messages.ts';

/** A courier in a process of its own. */
export interface CourierProcess {
  name: string;
  service: CourierService;
  /** Sends its reports there from now on. */
  reportTo: (url: string) => void;
  /** Whether some of its answers are errors or get lost. */
  disturb: (isOn: boolean) => void;
  /** What it has booked, and the number of its reports that are not accepted yet. */
  bookings: () => Promise<{ bookings: CourierBooked[]; open_reports: number }>;
}

/** Starts a courier that ends with the test. */
export async function startCourierProcess(name: 'uber-direct' | 'doordash-drive'): Promise<CourierProcess> {
  const child = fork(join(import.meta.dirname, 'fake-courier.ts'), [name]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const send = (message: CourierMessage) => void child.send(message);
  const next = async (): Promise<CourierReply> => (await once(child, 'message'))[0];
  const ready = await next();
  if (ready.kind !== 'ready') throw new Error(`${name} did not start`);
  return {
    name,
    service: ready.service,
    reportTo: (url) => send({ kind: 'report_to', url }),
    disturb: (isOn) => send({ kind: 'disturb', isOn }),
    bookings: async () => {
      const reply = next();
      send({ kind: 'list_bookings' });
      const answer = await reply;
      if (answer.kind !== 'bookings') throw new Error(`${name} did not list its bookings`);
      return answer;
    },
  };
}
