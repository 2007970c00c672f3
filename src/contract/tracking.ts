import { operation } from './operation.ts';
import { Exact, Text, Type } from './schema.ts';

/** The page behind `tracking_url`: for people, without a key. */
export const showTracking = operation({
  id: 'ShowTracking',
  method: 'GET',
  path: '/track/{token}',
  summary: 'Get the tracking page of a delivery, for its recipient',
  tag: 'Tracking',
  permission: null,
  params: Exact({ token: Text(100) }),
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
