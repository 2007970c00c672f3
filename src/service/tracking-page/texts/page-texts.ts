import type { DeliveryStatus, ProofType } from '../../../contract/vocabulary.ts';

/** The names in the texts of a status. */
export interface Names {
  /** The shop. */
  merchant: string;
  /** The first name of the courier, or a general term. */
  courier: string;
}

/** The texts of one status. */
export interface StatusTexts {
  headline: string;
  sentence: (names: Names) => string;
  /** Its name in the timeline. */
  step: string;
}

/** All texts of the page in one language. `burq_canceled` is a cancellation by the operator of the service. */
export interface Texts {
  /** The name of the language in itself. */
  language: string;
  /** The locale of times and numbers. */
  locale: string;
  statuses: Readonly<Record<DeliveryStatus, StatusTexts>>;
  tracking: string;
  test: string;
  sender: string;
  courier: string;
  /** The heading above the courier. */
  your_courier: string;
  delivered_by: string;
  no_name: string;
  /** By the words of a vehicle's type; the type itself if missing. */
  vehicles: ReadonlyMap<string, string>;
  delivered_at: string;
  expected_at: string;
  was_expected_at: string;
  late: string;
  in_minutes: (minutes: number) => string;
  in_hours: (hours: number, minutes: number) => string;
  miles: (distance: string) => string;
  one_mile: string;
  under_a_tenth: string;
  away: (distance: string) => string;
  proofs: Readonly<Record<ProofType, string>>;
  /** Between a proof and its time. */
  at: string;
  /** The link to a picture of a proof. */
  show_picture: Readonly<Record<'photo' | 'signature', string>>;
  picture: Readonly<Record<'photo' | 'signature', string>>;
  pin: string;
  pin_hint: string;
  call_courier: string;
  call_shop: (merchant: string) => string;
  your_order: string;
  reference: string;
  notes: string;
  notes_hint: string;
  save: string;
  saved: string;
  not_saved: string;
  too_late: string;
  too_often: string;
  needs_script: string;
  timeline: string;
  about: string;
  still_to_come: string;
  you: string;
  map_title: (merchant: string) => string;
  map_same_area: (merchant: string) => string;
  map_distance: (merchant: string, distance: string) => string;
  map_courier: (distance: string) => string;
  no_location: string;
  not_to_scale: string;
  updated_at: string;
  times_are_in: string;
  stale: string;
  reloads: string;
  invalid_link: string;
  invalid_link_hint: string;
}
