import { operation } from './operation.ts';
import { Exact, Text, Type } from './schema.ts';

const trackingParams = Exact({ token: Text(100) });

/** The page behind `tracking_url`: for people, without a key. */
export const showTracking = operation({
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
export const updateTracking = operation({
  id: 'UpdateTracking',
  method: 'PATCH',
  path: '/track/{token}',
  summary: 'Change the notes for the courier as the recipient, before pickup',
  tag: 'Tracking',
  permission: null,
  params: trackingParams,
  body: Exact({ dropoff_notes: Text(500) }),
  answer: Type.Object(
    { object: Type.Literal('tracking'), dropoff_notes: Type.String() },
    { title: 'TrackedDelivery' },
  ),
  errors: ['record_not_found', 'delivery_not_editable'],
  body_limit: 8 * 1024,
});
