export const logo_fault =
  'must be an https URL of at most 2,000 characters, or a data URL of a PNG, JPEG, GIF, WebP or SVG image in base64';

const data_image = /^data:image\/(png|jpeg|gif|webp|svg\+xml);base64,[a-z0-9+/]+={0,2}$/i;

/** Whether a page can show the logo without a script or an insecure request. */
export function isLogo(text: string): boolean {
  if (data_image.test(text)) return true;
  const url = URL.parse(text);
  return url?.protocol === 'https:' && url.username === '' && url.password === '' && text.length <= 2000;
}
