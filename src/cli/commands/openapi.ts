import { parseBaseUrl } from '../../client/addresses.ts';
import { describeInterface } from '../../contract/openapi.ts';
import { defineCommand } from '../command.ts';
import { document } from '../result.ts';

const servedAt = 'http://127.0.0.1:4010';

export const openapi = defineCommand({
  name: 'openapi',
  aliases: ['spec'],
  summary: 'The description of the interface, OpenAPI 3.1',
  description: 'Made from this version of waybill, without asking a service.',
  examples: [{ command: 'waybill openapi > openapi.json', summary: 'Into a file' }],
  effect: 'none',
  run(context) {
    const { baseUrl = servedAt } = context.asked;
    parseBaseUrl(baseUrl);
    return document(describeInterface(baseUrl));
  },
});
