import { operation } from './operation.ts';
import { Exact, Text, Type } from './schema.ts';

/** What `tracking_url` opens: a page for people, without a key. */
export const showTracking = operation({
  id: 'ShowTracking',
  method: 'GET',
  path: '/track/{token}',
  summary: 'The tracking page of a delivery, for its recipient',
  tag: 'Tracking',
  permission: null,
  params: Exact({ token: Text(100) }),
  // Whoever passes a link on may have put something of their own behind it.
  query: Type.Object({}),
  answer: Type.String({ description: 'HTML' }),
  media: 'text/html',
  errors: ['record_not_found'],
});
