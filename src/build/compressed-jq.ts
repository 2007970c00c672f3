import { brotliCompressSync } from 'node:zlib';
import type { Plugin } from 'rolldown';

const jq = /[\\/]jq-wasm[\\/]dist[\\/]build[\\/]jq\.js$/;
const program = /base64,([A-Za-z0-9+/=]{1000,})/;

/**
 * Compresses the WebAssembly of jq, the largest file of the package. `src/cli/kit/system/jq-engine.ts` decompresses it
 * when it runs jq.
 */
export function compressedJq(): Plugin {
  return {
    name: 'packed-jq',
    transform: (code, id) =>
      jq.test(id) ? { code: code.replace(program, (_, text: string) => packed(text)), map: null } : null,
  };
}

function packed(text: string): string {
  return `base64-brotli,${brotliCompressSync(Buffer.from(text, 'base64')).toString('base64')}`;
}
