/** The pages that the service shows in a browser, and what they send. */
import { defineOperation } from './operation.ts';
import { Exact, Instant, type Static, Text, Type } from './schema.ts';
import { handoverFailures, max_notes, tapKinds } from './vocabulary.ts';

const trackingParams = Exact({ token: Text(100) });

/** The page behind `tracking_url`: for people, without a key. */
export const showTracking = defineOperation({
  id: 'ShowTracking',
  method: 'GET',
  path: '/track/{token}',
  summary: 'Get the tracking page of a delivery, for its recipient',
  tag: 'Tracking',
  permission: null,
  params: trackingParams,
  // Shared links may carry additional query parameters, such as those of trackers.
  query: Type.Object({
    lang: Type.Optional(
      Type.String({ description: 'Language: en or es; default: the preferred one of Accept-Language' }),
    ),
  }),
  answer: Type.String({ description: 'HTML' }),
  media: 'text/html',
  errors: ['record_not_found'],
});

/** The tracking page saves what the recipient types; the link is the permission. */
export const updateTracking = defineOperation({
  id: 'UpdateTracking',
  method: 'PATCH',
  path: '/track/{token}',
  summary: 'Change the notes for the courier as the recipient, before pickup',
  tag: 'Tracking',
  permission: null,
  params: trackingParams,
  body: Exact({ dropoff_notes: Text(max_notes) }),
  answer: Type.Object(
    { object: Type.Literal('tracking'), dropoff_notes: Type.String() },
    { title: 'TrackedDelivery' },
  ),
  errors: ['record_not_found', 'delivery_not_editable'],
  body_limit: 8 * 1024,
});

/** The page holds no data: what it shows it reads with the key that its reader has. */
export const showBoard = defineOperation({
  id: 'ShowBoard',
  method: 'GET',
  path: '/board',
  summary: "Get the dispatcher's board: a page that shows deliveries and drivers to the owner of an API key",
  tag: 'Drivers',
  permission: null,
  answer: Type.String({ description: 'HTML' }),
  media: 'text/html',
});

export const showMapScript = defineOperation({
  id: 'ShowMapScript',
  method: 'GET',
  path: '/leaflet.js',
  summary: 'Get the script that draws maps with tiles',
  tag: 'Tracking',
  permission: null,
  answer: Type.String({ description: 'JavaScript' }),
  media: 'text/javascript',
});

export const showMapStyle = defineOperation({
  id: 'ShowMapStyle',
  method: 'GET',
  path: '/leaflet.css',
  summary: 'Get the style of maps with tiles',
  tag: 'Tracking',
  permission: null,
  answer: Type.String({ description: 'CSS' }),
  media: 'text/css',
});

const pageParams = Exact({ token: Text(100) });

/** The page behind a driver's link; the link is the permission. */
export const showDriverPage = defineOperation({
  id: 'ShowDriverPage',
  method: 'GET',
  path: '/drive/{token}',
  summary: "Get the driver's page: duty, offers and stops",
  tag: 'Drivers',
  permission: null,
  params: pageParams,
  answer: Type.String({ description: 'HTML' }),
  media: 'text/html',
  errors: ['record_not_found', 'account_suspended'],
});

/** The largest picture: about 500 kB as a data URL. */
const max_picture_length = 700_000;

const Picture = (description: string) =>
  Type.Optional(Type.String({ maxLength: max_picture_length, description }));

const position = {
  lat: Type.Number({ minimum: -90, maximum: 90 }),
  lng: Type.Number({ minimum: -180, maximum: 180 }),
};

const Tap = Exact(
  {
    id: Text(64, { description: 'Unique for the phone; a repeat has no further effect' }),
    kind: Type.Enum(tapKinds, { description: 'The button' }),
    at: Instant("When it was tapped, by the phone's clock"),
    on: Type.Optional(Type.Boolean({ description: 'With `duty`: whether the driver takes deliveries' })),
    offer_id: Type.Optional(Text(100, { description: 'With `accept` and `decline`: the offer on the page' })),
    delivery_ids: Type.Optional(
      Type.Array(Text(64), {
        maxItems: 50,
        description:
          'The deliveries of the stop; exactly one with `deliver`, as each recipient is handed theirs. `fail` with ' +
          'several is about those that are not picked up',
      }),
    ),
    goes_on: Type.Optional(
      Type.Boolean({
        description:
          'With `accept` and what completes a stop: the driver starts to the next stop at once, unless under way already',
      }),
    ),
    failure_reason: Type.Optional(
      Type.Enum(handoverFailures, { description: 'With `fail`: why it could not be handed over' }),
    ),
    note: Type.Optional(Text(300, { description: 'With `fail`: more about it' })),
    pin: Type.Optional(Text(10, { description: 'With `deliver`: the PIN that the recipient said' })),
    was_offline: Type.Optional(
      Type.Boolean({
        description:
          'With `deliver`: the phone had no connection at the door, so that the PIN could not be checked there. With a ' +
          'photo a wrong PIN is not refused: the delivery is marked as `pin_unverified`. It counts only if the service ' +
          'heard nothing of the phone at the time of the tap',
      }),
    ),
    photo: Picture('With `deliver`: a JPEG as a data URL'),
    no_photo_reason: Type.Optional(
      Text(300, {
        description:
          'With `deliver` of an order that asks for a photo or signature: why there is none. Without it and without ' +
          'the picture the handover is refused',
      }),
    ),
    signature: Picture('With `deliver`: a drawn signature, a JPEG as a data URL'),
    signed_by: Type.Optional(Text(100, { description: 'With `deliver`: the name of the person who signed' })),
  },
  { title: 'Tap' },
);
export type Tap = Static<typeof Tap>;

/** The page sends what was tapped, also what was tapped while it was offline. */
export const sendTaps = defineOperation({
  id: 'SendTaps',
  method: 'POST',
  path: '/drive/{token}/taps',
  summary: "Send what was tapped on the driver's page, in order",
  tag: 'Drivers',
  permission: null,
  params: pageParams,
  body: Exact({
    sent_at: Instant("When this is sent, by the phone's clock"),
    taps: Type.Array(Tap, { maxItems: 50 }),
    position: Type.Optional(
      Exact({ ...position, at: Instant("When the phone was there, by the phone's clock") }),
    ),
  }),
  answer: Type.Object(
    {
      object: Type.Literal('taps'),
      taps: Type.Array(
        Type.Object({
          id: Type.String(),
          outcome: Type.Enum(['done', 'ignored', 'refused']),
          message: Type.String({ description: 'Why it has no effect; empty if it has' }),
        }),
      ),
    },
    { title: 'TapResults' },
  ),
  errors: ['record_not_found', 'account_suspended', 'limit_reached'],
  body_limit: 4 * 1024 * 1024,
  is_frequent: true,
});

/** A subscription as browsers give it (https://www.w3.org/TR/push-api/). */
const subscription = {
  endpoint: Text(2048, { description: "The address of the browser's push service" }),
  keys: Exact(
    {
      p256dh: Type.String({ pattern: '^[A-Za-z0-9_-]{87}=?$', description: "The browser's public key" }),
      auth: Type.String({ pattern: '^[A-Za-z0-9_-]{22}={0,2}$', description: "The browser's secret" }),
    },
    { description: 'What messages are encrypted with' },
  ),
};

/** The page asks for the key first, and then gives the subscription that the browser made with it. */
export const subscribeDriver = defineOperation({
  id: 'SubscribeDriver',
  method: 'POST',
  path: '/drive/{token}/push',
  summary: "Get the service's Web Push key, and send offers to a phone that is closed",
  tag: 'Drivers',
  permission: null,
  params: pageParams,
  body: Exact({
    subscription: Type.Optional(Exact(subscription, { description: 'What the browser gave for the key' })),
  }),
  answer: Type.Object(
    {
      object: Type.Literal('push'),
      public_key: Type.String({ description: 'The `applicationServerKey` of a subscription' }),
    },
    { title: 'PushKey' },
  ),
  errors: ['record_not_found', 'account_suspended', 'secret_key_missing'],
  body_limit: 8 * 1024,
  is_frequent: true,
});

export const showDriverManifest = defineOperation({
  id: 'ShowDriverManifest',
  method: 'GET',
  path: '/drive/{token}/manifest',
  summary: "Get the web app manifest of the driver's page",
  tag: 'Drivers',
  permission: null,
  params: pageParams,
  answer: Type.String({ description: 'JSON' }),
  media: 'application/manifest+json',
  errors: ['record_not_found', 'account_suspended'],
});

export const showDriverWorker = defineOperation({
  id: 'ShowDriverWorker',
  method: 'GET',
  path: '/drive-worker.js',
  summary: "Get the script that shows the driver's page without a connection",
  tag: 'Drivers',
  permission: null,
  answer: Type.String({ description: 'JavaScript' }),
  media: 'text/javascript',
});

export const showProofPicture = defineOperation({
  id: 'ShowProofPicture',
  method: 'GET',
  path: '/proofs/{token}',
  summary: 'Get a picture of a proof of delivery',
  tag: 'Drivers',
  permission: null,
  params: pageParams,
  answer: Type.String({ description: 'JPEG or PNG' }),
  media: 'image/*',
  errors: ['record_not_found'],
});
