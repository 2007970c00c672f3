/** Generates unguessable values: keys, tokens, the seed of a new service. */
export interface Secrets {
  /** `length` base62 characters. */
  base62(length: number): Promise<string>;
}

/** Random bytes for keys and nonces. */
export async function randomBytes(length: number): Promise<Buffer> {
  const crypto = await import('node:crypto');
  return crypto.randomBytes(length);
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export const systemSecrets: Secrets = {
  async base62(length) {
    // Loaded here: node:crypto costs more than a whole read, and most commands create no secret.
    const { randomInt } = await import('node:crypto');
    return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
  },
};
