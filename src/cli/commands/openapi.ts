import { describeCourierProtocol } from '../../contract/courier-protocol/openapi.ts';
import { describeInterface } from '../../contract/openapi.ts';
import { switchFlag } from '../kit/args/flags.ts';
import { documentResult } from '../kit/result/result.ts';
import { defineCommand } from '../session/command.ts';

/** The default address of `waybill serve`. */
const servedAt = 'http://127.0.0.1:4010';

export const openapi = defineCommand({
  name: 'openapi',
  aliases: ['spec'],
  summary: 'Print the OpenAPI 3.1 description of the API',
  description: [
    'Describes this version of waybill at the base URL of the profile or of --base-url; no service is contacted.',
    'With --courier it describes the server that a courier provides to take deliveries from waybill.',
  ].join(' '),
  flags: { courier: switchFlag({ summary: 'Describe the server of a courier instead' }) },
  examples: [
    { command: 'waybill openapi > openapi.json', summary: 'Save it to a file' },
    { command: 'waybill openapi --courier > courier.json', summary: 'Save the description for couriers' },
  ],
  effect: 'none',
  connectionFlags: ['profile', 'baseUrl'],
  related: ['api', 'serve'],
  run(context, { flags: { courier } }) {
    if (courier) return documentResult(describeCourierProtocol());
    const { target } = context.settings;
    return documentResult(describeInterface(target.kind === 'http' ? target.baseUrl : servedAt));
  },
});
