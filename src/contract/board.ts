import { operation } from './operation.ts';
import { Type } from './schema.ts';

/** The page holds no data: what it shows it reads with the key that its reader has. */
export const showBoard = operation({
  id: 'ShowBoard',
  method: 'GET',
  path: '/board',
  summary: "Get the dispatcher's board: a page that shows deliveries and drivers to the owner of an API key",
  tag: 'Drivers',
  permission: null,
  answer: Type.String({ description: 'HTML' }),
  media: 'text/html',
  errors: [],
});
