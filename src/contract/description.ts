import { operation } from './operation.ts';
import { Instant, Nullable, Type } from './schema.ts';

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

export const getLiveness = operation({
  id: 'GetLiveness',
  method: 'GET',
  path: '/health/live',
  summary: 'Check that the process answers',
  tag: 'Service',
  permission: null,
  answer: Type.Object({ status: Type.Literal('ok'), service_time: Instant() }, { title: 'Liveness' }),
  is_probe: true,
  errors: [],
});

export const getHealth = operation({
  id: 'GetHealth',
  method: 'GET',
  path: '/health',
  aliases: ['/health/ready'],
  summary: 'Check that the service can take requests: database, schema, clock and background work',
  tag: 'Service',
  permission: null,
  answer: Type.Object(
    {
      status: Type.Literal('ok'),
      service_time: Instant(),
      // Earlier versions of the service return neither.
      schema_version: Type.Optional(Type.Integer()),
      worker_silent_ms: Type.Optional(Nullable(Type.Integer())),
    },
    { title: 'Health' },
  ),
  is_probe: true,
  errors: ['not_ready'],
});
