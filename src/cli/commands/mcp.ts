import { Unsupported } from '../../client/errors.ts';
import { flag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { streamFormats } from '../kit/output/formats.ts';
import { invocation } from '../kit/result/message.ts';
import { type Context, defineCommand } from '../session/command.ts';

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'Serve tools for AI assistants over the Model Context Protocol',
  description: [
    'Speaks the protocol on stdin and stdout: an assistant starts it; it is not interactive. Its tools quote, ship, find,',
    'explain, wait for and cancel deliveries, and advance the sandbox. A shipment needs a maximum cost, a cancellation',
    'the fee that was shown before. Only test mode, unless --live is given. It ends when stdin is closed.',
  ].join('\n'),
  flags: { live: flag({ summary: 'Allow live mode: shipments are real and cost money' }) },
  examples: [
    { command: 'waybill mcp', summary: 'The command for the settings of an assistant' },
    { command: 'waybill mcp --live --profile shop', summary: 'With real deliveries of a profile' },
  ],
  effect: 'read',
  formats: streamFormats,
  async run(context, { flags: { live } }) {
    if (context.host.stdin.isTerminal) {
      const message = 'Cannot serve the Model Context Protocol: stdin is a terminal.';
      throw new UsageError(message, { hint: 'Add `waybill mcp` to the settings of an assistant.' });
    }
    if ((await modeOf(context)) === 'live' && !live) {
      const message = 'The key is for live mode, in which shipments are real and cost money.';
      const next = [{ ...invocation('mcp', [], { live: true }), when: 'allow live mode' }];
      throw new UsageError(message, { next });
    }
    await context.runService();
    const { serving } = await import('./mcp/serving.ts');
    return serving(context);
  },
});

/** Returns the mode of the key. Ends the command if the service does not know the key, before an assistant uses it. */
async function modeOf(context: Context): Promise<'test' | 'live'> {
  const client = await context.client();
  try {
    const { data } = await client.account.get();
    return data.test_mode ? 'test' : 'live';
  } catch (error) {
    if (error instanceof Unsupported) return context.mode();
    throw error;
  }
}
