import { operation } from './operation.ts';
import { Instant, Type } from './schema.ts';

export const getDescription = operation({
  id: 'GetDescription',
  method: 'GET',
  path: '/openapi.json',
  summary: 'Get this description (OpenAPI 3.1)',
  tag: 'Service',
  permission: null,
  answer: Type.Object({ openapi: Type.Literal('3.1.1') }, { title: 'Description' }),
  is_constant: true,
  errors: [],
});

export const getHealth = operation({
  id: 'GetHealth',
  method: 'GET',
  path: '/health',
  summary: 'Check the health of the service and its storage',
  tag: 'Service',
  permission: null,
  answer: Type.Object({ status: Type.Literal('ok'), service_time: Instant() }, { title: 'Health' }),
  errors: ['storage_unavailable'],
});
