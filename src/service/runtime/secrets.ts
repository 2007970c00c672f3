/** What must not be guessed: keys, tokens, the seed of a new service. */
export interface Secrets {
  /** `length` characters of base62. */
  base62(length: number): Promise<string>;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export const systemSecrets: Secrets = {
  async base62(length) {
    // Loaded here: node:crypto costs more than a whole look-up, and most commands make no secret.
    const { randomInt } = await import('node:crypto');
    return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
  },
};
