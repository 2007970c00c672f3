import { createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import webPush from 'web-push';
import { replacedImports } from '../../src/build/package-plugins.ts';

test('web-push without its ASN.1 library signs as with it', async () => {
  const input = join(import.meta.dirname, '../../node_modules/web-push/src/index.js');
  const bundle = await rolldown({ input, platform: 'node', plugins: [replacedImports(['web-push'])] });
  const { output } = await bundle.generate({ format: 'cjs' });
  const code = output[0].code;
  expect(code.length).toBeLessThan(100_000);
  const loaded: { exports: { default?: typeof webPush } & typeof webPush } = { exports: Object.create(null) };
  new Function('module', 'exports', 'require', code)(
    loaded,
    loaded.exports,
    process.getBuiltinModule('module').createRequire(input),
  );
  const small = loaded.exports.default ?? loaded.exports;
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  const headers = small.getVapidHeaders(
    'https://push.example',
    'https://shop.example',
    publicKey,
    privateKey,
    'aes128gcm',
  );
  const [, header = '', claims = '', signature = ''] =
    /t=([^.]+)\.([^.]+)\.([^,]+),/.exec(headers.Authorization) ?? [];
  const point = Buffer.from(publicKey, 'base64url');
  const part = (from: number, to: number) => point.subarray(from, to).toString('base64url');
  const key = createPublicKey({
    key: { kty: 'EC', crv: 'P-256', x: part(1, 33), y: part(33, 65) },
    format: 'jwk',
  });
  const { verify } = process.getBuiltinModule('crypto');
  const sent = Buffer.from(`${header}.${claims}`);
  expect(
    verify('sha256', sent, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')),
  ).toBe(true);
});

test('a build that does not meet a replaced import fails, and names it', async () => {
  const input = join(import.meta.dirname, 'package-plugins.test.ts');
  const bundle = await rolldown({ input, external: /./, plugins: [replacedImports(['cli-table3'])] });
  await expect(bundle.generate()).rejects.toThrow('No longer met in a package: cli-table3: string-width');
});
