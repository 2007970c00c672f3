import { html, type Markup, multiline } from './markup.ts';
import type { TrackedDelivery } from './tracked-delivery.ts';

/** The most characters that the service accepts. */
const max_characters = 500;

/** The form with the recipient's notes for the courier; null once they cannot be changed. The script saves it. */
export function notesSection({ notes, texts }: TrackedDelivery): Markup | null {
  if (notes === null) return null;
  return html`<section class="card notes" aria-labelledby="notes">
<h2 id="notes">${texts.notes}</h2>
<form data-saved="${texts.saved}" data-failed="${texts.not_saved}" data-409="${texts.too_late}" data-429="${texts.too_often}">
<textarea name="notes" rows="3" maxlength="${max_characters}" aria-labelledby="notes" aria-describedby="notes-hint">
${multiline(notes)}</textarea>
<p id="notes-hint">${texts.notes_hint}</p>
<p class="save"><button>${texts.save}</button> <span role="status"></span></p>
</form>
<noscript>${notes === '' ? null : html`<p class="kept">${multiline(notes)}</p>`}<p>${texts.needs_script}</p></noscript>
</section>`;
}
