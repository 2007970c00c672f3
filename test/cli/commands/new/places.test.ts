import { expect, test } from 'vitest';
import { fakeServer } from '../../../fakes/places/geocoder.ts';
import { freshHome, waybill } from '../../harness.ts';
import { typedOrder } from './person.ts';
import { typist } from './typist.ts';

test('the wizard warns of an address that the geocoder does not find, and goes on', async () => {
  const fake = await fakeServer(() => ({ body: '[]' }));
  const person = await typist([...typedOrder, ['What would you like to send?', 'Leave']], { columns: 120 });
  const env = { WAYBILL_GEOCODER: `nominatim+${fake.url}`, WAYBILL_GEOCODER_RATE: '1000' };
  const { stderr } = await waybill(['new'], { home: freshHome(), tty: true, columns: 120, env, ...person });
  expect(stderr.match(/is not found by the geocoder\. Check it/g)).toHaveLength(2);
});
