import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { signWebhook, verifyWebhook, WebhookRefused } from '../../src/library/webhooks.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = JSON.stringify({ id: 'evt_1', type: 'webhook.test', data: {} });

function signed(sentAt = new Date(), text = body): Record<string, string> {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', sentAt, text),
  };
}

test('a signed webhook gives its event, with the headers of Node and of the web, and a body of text and of bytes', () => {
  for (const given of [body, new TextEncoder().encode(body)]) {
    expect(verifyWebhook(given, signed(), secret)).toMatchObject({ id: 'evt_1', type: 'webhook.test' });
    expect(verifyWebhook(given, new Headers(signed()), secret)).toMatchObject({ id: 'evt_1' });
  }
  const capital = Object.fromEntries(
    Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), [value]]),
  );
  expect(verifyWebhook(body, capital, secret)).toMatchObject({ id: 'evt_1' });
});

test('a changed body, another secret, an old time and missing headers are refused', () => {
  const old = new Date(Date.now() - 6 * 60_000);
  const cases: [string, Record<string, string>, string][] = [
    [`${body} `, signed(), secret],
    [body, signed(), 'whsec_AAAA9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    [body, signed(old), secret],
    [body, {}, secret],
  ];
  for (const [text, headers, key] of cases) {
    expect(() => verifyWebhook(text, headers, key)).toThrow(WebhookRefused);
  }
});

test('a secret may have the line break of its file, and what is no secret or no received body is named', () => {
  expect(verifyWebhook(body, signWebhook(body, `${secret}\n`), ` ${secret}\r\n`)).toMatchObject({
    id: 'evt_1',
  });
  for (const none of ['', 'whsec_?', JSON.parse('{}').secret])
    expect(() => verifyWebhook(body, signed(), none)).toThrow(
      /^secret must be the secret of a webhook endpoint/,
    );
  expect(() => verifyWebhook(JSON.parse(body), signed(), secret)).toThrow(
    /^body must be the text or the bytes/,
  );
});

test('the body of a request of the web is taken as it comes', async () => {
  const bytes = await new Response(body).arrayBuffer();
  expect(verifyWebhook(bytes, signed(), secret)).toMatchObject({ id: 'evt_1' });
});

test('one of several secrets is enough, and the tolerance is a choice', () => {
  const other = 'whsec_AAAA9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  expect(verifyWebhook(body, signed(), [other, secret])).toMatchObject({ id: 'evt_1' });
  for (const none of [[other], []]) expect(() => verifyWebhook(body, signed(), none)).toThrow(WebhookRefused);
  const old = signed(new Date(Date.now() - 6 * 60_000));
  expect(verifyWebhook(body, old, secret, { tolerance_ms: 7 * 60_000 })).toMatchObject({ id: 'evt_1' });
  const early = signed(new Date(Date.now() + 20_000));
  expect(() => verifyWebhook(body, early, secret, { tolerance_ms: 10_000 })).toThrow(WebhookRefused);
  expect(() => verifyWebhook(body, old, secret, { tolerance_ms: Number.NaN })).toThrow(TypeError);
});

test('a webhook that is signed for a test has the headers of the published library', () => {
  const at = new Date();
  expect(signWebhook(body, secret, { id: 'evt_1', at })).toMatchObject(signed(at));
  expect(new Webhook(secret).verify(body, signWebhook(body, secret))).toMatchObject({ id: 'evt_1' });
});
