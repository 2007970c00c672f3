/** The part of the page's script that asks for proofs, why a handover failed, and whether a shift ends with stops left. */
export const questions = `
function ask(dialog) {
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'ok'), { once: true });
  });
}

async function askLeaving(tap) {
  const left = all('.stop').length;
  if (tap.on || left === 0) return tap;
  const dialog = one('#leave');
  one('[data-left]', dialog).textContent = stopCount(left);
  return (await ask(dialog)) ? tap : null;
}

async function askReason(button, tap) {
  const dialog = one('#fail');
  one('[data-reasons]', dialog).hidden = button.dataset.question === 'pickup';
  one('[name=note]', dialog).value = '';
  if (!(await ask(dialog))) return null;
  const note = one('[name=note]', dialog).value.trim();
  return { ...tap, failure_reason: one('[name=reason]:checked', dialog).value, ...(note ? { note } : {}) };
}

let isSigned = false;

async function askProof(card, tap) {
  const dialog = one('#proof');
  const wants = ['pin', 'photo', 'signature'].filter((what) => card.dataset[what]);
  if (wants.length === 0) return tap;
  for (const part of all('[data-want]', dialog)) part.hidden = !wants.includes(part.dataset.want);
  for (const input of all('input', dialog)) input.value = '';
  clearSignature();
  one('[data-fault]', dialog).textContent = '';
  if (!(await ask(dialog))) return null;
  const made = { ...tap };
  if (wants.includes('pin')) made.pin = one('[name=pin]', dialog).value.trim();
  if (wants.includes('photo')) made.photo = await resizePicture(one('[name=photo]', dialog).files[0]);
  if (wants.includes('signature')) {
    made.signed_by = one('[name=signed_by]', dialog).value.trim();
    made.signature = one('canvas', dialog).toDataURL('image/jpeg', 0.8);
  }
  return made;
}

function proofFault() {
  const missing = (want) => !one('[data-want=' + want + ']').hidden;
  if (missing('pin') && one('[name=pin]').value.trim() === '') return 'Enter the PIN.';
  if (missing('photo') && one('[name=photo]').files.length === 0) return 'Take a photo.';
  if (missing('signature') && one('[name=signed_by]').value.trim() === '') return 'Enter the name of the recipient.';
  if (missing('signature') && !isSigned) return 'Sign in the field, or use the name.';
  return '';
}

/** A JPEG of at most 1280 pixels. */
async function resizePicture(file) {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, 1280 / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/jpeg', 0.7);
}

function clearSignature() {
  const canvas = one('#proof canvas');
  const pen = canvas.getContext('2d');
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  isSigned = false;
}

function drawName() {
  clearSignature();
  const canvas = one('#proof canvas');
  const pen = canvas.getContext('2d');
  pen.fillStyle = '#000';
  pen.font = 'italic 80px serif';
  pen.fillText(one('[name=signed_by]').value.trim(), 40, 190, canvas.width - 80);
  isSigned = one('[name=signed_by]').value.trim() !== '';
}

function draw(event) {
  const canvas = event.target;
  if (canvas.tagName !== 'CANVAS' || (event.type === 'pointermove' && event.buttons === 0)) return;
  const pen = canvas.getContext('2d');
  const box = canvas.getBoundingClientRect();
  const x = ((event.clientX - box.left) * canvas.width) / box.width;
  const y = ((event.clientY - box.top) * canvas.height) / box.height;
  if (event.type === 'pointerdown') {
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineWidth = 6;
    pen.lineCap = 'round';
  }
  pen.lineTo(x, y);
  pen.stroke();
  isSigned = true;
}

document.addEventListener('pointerdown', draw);
document.addEventListener('pointermove', draw);

document.addEventListener('submit', (event) => {
  if (event.target.parentElement.id !== 'proof' || event.submitter.value !== 'ok') return;
  const fault = proofFault();
  one('#proof [data-fault]').textContent = fault;
  if (fault) event.preventDefault();
});
`;
