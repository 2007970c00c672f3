/** Not an error: the person went back from a question. */
export class WentBack extends Error {
  override name = 'WentBack';

  constructor() {
    super('the question was left for the one before');
  }
}
