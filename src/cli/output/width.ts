const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const styles = /\p{Cc}\[[0-9;]*m/gu;

/** Columns that a text takes in a terminal. */
export function displayWidth(text: string): number {
  const bare = text.replace(styles, '');
  if (/^[ -~]*$/.test(bare)) return bare.length;
  return [...bare].reduce((sum, character) => sum + characterWidth(character), 0);
}

function characterWidth(character: string): number {
  if (/\p{M}|\u200d|\ufe0f/u.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** The text with spaces behind it, up to a width. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}
