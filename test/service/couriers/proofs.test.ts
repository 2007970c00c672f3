import { expect, test } from 'vitest';
import type { CourierHttpRequest, CourierHttpResponse } from '../../../src/providers/courier.ts';
import { ProviderFault } from '../../../src/providers/port.ts';

import { deliveryOf } from '../delivery-runs.ts';
import {
  dispatchOne,
  reportOf,
  type Script,
  type ScriptedCourier,
  startScripted,
} from './scripted-courier.ts';

const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]).toString('base64');
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1]).toString('base64');
const link = 'https://pictures.example/door.jpg?signature=1';
const minute = 60_000;

/** Responds to requests for pictures, and keeps them. */
function pictures(respond: (number: number) => CourierHttpResponse) {
  const requests: CourierHttpRequest[] = [];
  const http: Script['pictures'] = async (request) => {
    requests.push(request);
    return respond(requests.length);
  };
  return { requests, http };
}

const found = (body: string) => ({ status: 200, headers: {}, body });

/** A delivered delivery with a report of its proof. */
async function delivered(courier: ScriptedCourier, proof: object) {
  const { id, key } = await dispatchOne(courier);
  await courier.push([reportOf(key, 'driver_assigned')]);
  await courier.push([reportOf(key, 'delivered', { occurred_at: 2_000, ...proof })]);
  return { key, read: () => deliveryOf(courier.fixture, id) };
}

test('the picture of a proof is copied, and shown by us when the courier deletes it', async () => {
  const { requests, http } = pictures(() => found(jpeg));
  const courier = await startScripted({ pictures: http });
  const { key, read } = await delivered(courier, { proofs: [{ type: 'photo', url: link }] });
  await courier.fixture.pass(minute);
  expect(requests).toMatchObject([{ method: 'GET', url: link, body_as: 'base64' }]);
  const [{ type, url = '' } = {}, ...others] = (await read()).proof_of_delivery;
  expect([type, others]).toEqual(['photo', []]);
  expect(url).toMatch(/^https:\/\/shop\.example\/proofs\/\w{22}$/);
  const picture = await courier.fixture.send('GET', new URL(url).pathname, {
    headers: { 'x-api-key': '' },
  });
  expect([picture.body, picture.headers['content-type']]).toEqual([jpeg, 'image/jpeg']);

  // The courier signs the link of the same picture anew.
  const again = link.replace('=1', '=2');
  await courier.push([reportOf(key, null, { occurred_at: 3_000, proofs: [{ type: 'photo', url: again }] })]);
  await courier.fixture.pass(minute);
  expect((await read()).proof_of_delivery).toMatchObject([{ type: 'photo', url }]);
  expect(requests).toHaveLength(1);
});

test('a report that names one picture twice, and another by its query alone, has both pictures', async () => {
  const { requests, http } = pictures(() => found(jpeg));
  const courier = await startScripted({ pictures: http });
  const proofs = [1, 1, 2].map((id) => ({ type: 'photo', url: `https://pictures.example/proof?id=${id}` }));
  const { read } = await delivered(courier, { proofs });
  await courier.fixture.pass(minute);
  const { status, proof_of_delivery } = await read();
  expect([status, proof_of_delivery.length]).toEqual(['delivered', 2]);
  expect(requests.map(({ url }) => url).sort()).toEqual(proofs.slice(1).map(({ url }) => url));
});

test('a signature is copied with the name of who signed, also if the courier sends the picture itself', async () => {
  const courier = await startScripted();
  const { read } = await delivered(courier, {
    proofs: [
      { type: 'signature', data: png },
      { type: 'pin', data: png },
    ],
    signer: 'Dana',
  });
  await courier.fixture.pass(minute);
  const { signature, proof_of_delivery } = await read();
  expect(proof_of_delivery).toMatchObject([
    { type: 'signature', url: signature?.image_url },
    { type: 'pin', url: '' },
  ]);
  expect(signature).toMatchObject({ name: 'Dana', image_url: expect.stringMatching(/\/proofs\/\w{22}$/) });
  const { pathname } = new URL(signature?.image_url ?? '');
  expect((await courier.fixture.send('GET', pathname)).headers['content-type']).toBe('image/png');
});

test('a picture is fetched again after a failure', async () => {
  const { requests, http } = pictures((number) => {
    if (number === 1) throw new ProviderFault('pictures.example did not answer');
    return number === 2 ? { status: 503, headers: {}, body: '' } : found(jpeg);
  });
  const courier = await startScripted({ pictures: http });
  const { read } = await delivered(courier, { proofs: [{ type: 'photo', url: link }] });
  for (const _ of [1, 2, 3]) await courier.fixture.pass(minute);
  expect(requests).toHaveLength(3);
  expect((await read()).proof_of_delivery).toMatchObject([{ url: expect.stringContaining('/proofs/') }]);
});

test.each([
  ['is gone', { status: 403, headers: {}, body: '' }],
  ['is no picture', found(Buffer.from('<svg onload=alert(1)>').toString('base64'))],
])('the link of the courier stays if the picture %s', async (_, response) => {
  const { http } = pictures(() => response);
  const courier = await startScripted({ pictures: http });
  const { read } = await delivered(courier, { proofs: [{ type: 'photo', url: link }] });
  for (const _ of [1, 2, 3]) await courier.fixture.pass(minute);
  expect((await read()).proof_of_delivery).toMatchObject([{ type: 'photo', url: link }]);
  expect(courier.fixture.faults).toEqual([]);
});
