import { html, type Markup } from '../tracking-page/markup.ts';

/** Asks for the proofs that an order requires. The script shows only those. */
export const proofDialog: Markup = html`<dialog id="proof" aria-labelledby="proof-title"><form method="dialog">
<h2 id="proof-title">Proof of delivery</h2>
<label data-want="pin" hidden>PIN of the recipient<input name="pin" inputmode="numeric" autocomplete="off" maxlength="10"></label>
<label data-want="photo" hidden>Photo<input name="photo" type="file" accept="image/*" capture="environment"></label>
<label data-want="photo" hidden>No photo? Say why<input name="no_photo_reason" autocomplete="off" maxlength="300"></label>
<div data-want="signature" hidden><label>Name of the recipient<input name="signed_by" autocomplete="off" maxlength="100"></label>
<p id="draw">Signature: sign in the field, or use the name.</p>
<canvas width="800" height="300" role="img" aria-labelledby="draw"></canvas>
<div class="row"><button type="button" class="plain" data-sign="clear">Clear</button><button type="button" class="plain" data-sign="name">Use the name</button></div></div>
<p class="alert" role="alert" data-fault></p>
<button type="submit" value="ok">Delivered</button><button type="submit" class="plain" value="" formnovalidate>Cancel</button>
</form></dialog>`;

/** Asks a driver who goes off duty with stops left. The script fills in how many. */
export const leaveDialog: Markup = html`<dialog id="leave" aria-labelledby="leave-title"><form method="dialog">
<h2 id="leave-title">Go off duty with <span data-left></span> left?</h2>
<p>You get no new deliveries. What you have stays with you until your shop gives it to another driver.</p>
<button type="submit" value="ok">Go off duty</button><button type="submit" class="plain" value="">Stay on duty</button>
</form></dialog>`;

const reasons = [
  ['recipient_unreachable', 'Nobody answered'],
  ['recipient_refused', 'The recipient refused it'],
  ['wrong_address', 'Wrong address'],
  ['age_check_failed', 'Age check failed'],
  ['handover_failed', 'Another reason'],
] as const;

/** Asks why something could not be picked up or delivered. */
export const failDialog: Markup = html`<dialog id="fail" aria-labelledby="fail-title"><form method="dialog">
<h2 id="fail-title">What happened?</h2>
<fieldset data-reasons><legend class="soft">The parcel goes back to the shop.</legend>
${reasons.map(([code, label], index) => html`<label><input type="radio" name="reason" value="${code}"${index === 0 ? html` checked` : null}>${label}</label>`)}</fieldset>
<label>Note<textarea name="note" rows="2" maxlength="300"></textarea></label>
<button type="submit" value="ok">Report</button><button type="submit" class="plain" value="">Cancel</button>
</form></dialog>`;
