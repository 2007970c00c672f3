import { describeInterface } from '../../contract/openapi.ts';
import { document } from '../kit/result/result.ts';
import { defineCommand } from '../session/command.ts';

/** The default address of `waybill serve`. */
const servedAt = 'http://127.0.0.1:4010';

export const openapi = defineCommand({
  name: 'openapi',
  aliases: ['spec'],
  summary: 'Print the OpenAPI 3.1 description of the API',
  description:
    'Describes this version of waybill at the base URL of the profile or of --base-url; no service is contacted.',
  examples: [{ command: 'waybill openapi > openapi.json', summary: 'Save it to a file' }],
  effect: 'none',
  run(context) {
    const { target } = context.settings;
    return document(describeInterface(target.kind === 'http' ? target.baseUrl : servedAt));
  },
});
