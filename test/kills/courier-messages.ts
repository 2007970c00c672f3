/** What a courier must be connected with, and where it is. */
export interface CourierService {
  /** The origins that stand for its hosts. */
  hosts: Record<string, string>;
  settings: Record<string, string>;
}

/** A delivery as the courier has it. */
export interface CourierBooked {
  /** The courier's own ID. */
  id: string;
  /** Of the recipient: each order has its own. */
  phone: string;
  state: string;
  /** In cents, without the tip. */
  cost: number;
  tip: number;
}

/** To the process of a courier. */
export type CourierMessage =
  | { kind: 'report_to'; url: string }
  | { kind: 'disturb'; isOn: boolean }
  | { kind: 'list_bookings' };

/** From the process of a courier. */
export type CourierReply =
  | { kind: 'ready'; service: CourierService }
  | { kind: 'bookings'; bookings: CourierBooked[]; open_reports: number };
