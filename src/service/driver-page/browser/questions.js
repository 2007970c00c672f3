/** The part of the page's script that asks for proofs, why a handover failed, and whether a shift ends with stops left. */

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
  one('h2', dialog).textContent = fill(texts.leave_with, { stops: stopCount(left) });
  return (await ask(dialog)) ? tap : null;
}

async function askReason(button, tap) {
  const dialog = one('#fail');
  const isPickup = button.dataset.question === 'pickup';
  const { name, phone, shop, shopPhone, leave } = button.closest('[data-id]')?.dataset ?? {};
  const isLeft = leave === '1';
  one('h2', dialog).textContent = isPickup
    ? texts.could_not_pick_up
    : fill(texts.could_not_deliver, { name });
  for (const part of all('[data-contact], [data-reasons]', dialog)) part.hidden = isPickup;
  showCall(one('[data-call]', dialog), name, phone);
  showCall(one('[data-call-shop]', dialog), shop, shopPhone);
  const [then, label] = isPickup
    ? [texts.then_fails, texts.report]
    : isLeft
      ? [texts.then_leave, texts.leave]
      : [fill(texts.then_back, { shop }), texts.bring_it_back];
  one('[data-back]', dialog).textContent = then;
  one('[value=ok]', dialog).textContent = label;
  one('[data-reasons]', dialog).hidden ||= isLeft;
  one('[name=note]', dialog).parentElement.hidden = isLeft;
  one('[name=note]', dialog).value = '';
  one('[name=reason]', dialog).checked = true;
  const { arrived } = button.closest('.stop').dataset;
  const showTime = () => {
    const minutes = arrived ? Math.floor((Date.now() + clockOffset - Date.parse(arrived)) / 60000) : 0;
    one('[data-arrived]', dialog).textContent =
      minutes < 1 ? '' : minutes === 1 ? texts.arrived_one : fill(texts.arrived, { count: minutes });
  };
  showTime();
  const timer = setInterval(showTime, 1000);
  const isReported = await ask(dialog);
  clearInterval(timer);
  if (!isReported) return null;
  if (isLeft) return { ...tap, kind: 'deliver' };
  const note = one('[name=note]', dialog).value.trim();
  return { ...tap, failure_reason: one('[name=reason]:checked', dialog).value, ...(note ? { note } : {}) };
}

function showCall(link, name, phone) {
  link.hidden = !phone;
  link.href = `tel:+${phone}`;
  link.textContent = fill(texts.call, { name });
}

let isSigned = false;
/** The proofs that the open dialog asks for, and what they became. */
let wants = [];
let photo = null;
let wasOffline = false;
let isChecking = false;

const proofText = (name) => one(`#proof [name=${name}]`).value.trim();

function showFault(fault) {
  one('#proof [data-fault]').textContent = fault;
}

/** A photo that takes the place of the check of a PIN cannot be left out. */
function showWanted() {
  const photos = wasOffline ? ['photo'] : wants.includes('photo') ? ['photo', 'no_photo'] : [];
  const shown = [...wants.filter((what) => what !== 'photo'), ...photos];
  for (const part of all('#proof [data-want]')) part.hidden = !shown.includes(part.dataset.want);
}

/** Why the tap with these proofs is refused; set while a dialog is open that asks for a PIN, which is checked before it closes. */
let tryHandover = null;

/**
 * Adds the proofs that the recipients of a handover need to its tap. Null if the driver cancels, and if the tap was sent
 * from the dialog, which stays open until a PIN is answered.
 */
async function askProof(parts, tap, { isLeft, sendNow }) {
  const dialog = one('#proof');
  const isAsked = (what) => parts.some(({ dataset }) => dataset[what]);
  wants = isLeft ? ['photo'] : ['pin', 'photo', 'signature'].filter(isAsked);
  if (wants.length === 0) return tap;
  const name = parts.map(({ dataset }) => dataset.name).join(', ');
  one('h2', dialog).textContent = fill(isLeft ? texts.leave_for : texts.deliver_to, { name });
  one('.main', dialog).textContent = isLeft ? texts.left_at_door : texts.delivered;
  photo = null;
  wasOffline = false;
  showWanted();
  for (const input of all('input', dialog)) input.value = '';
  one('details', dialog).open = false;
  showThumbnail();
  clearSignature();
  showFault('');
  let isSent = false;
  tryHandover = async () => {
    isSent = true;
    const fault = await sendNow(proven({ ...tap, id: newId() }));
    if (fault) isSent = false;
    return fault;
  };
  const isGiven = await ask(dialog);
  return isGiven && !isSent ? proven(tap) : null;
}

/** A tap with the proofs of the dialog. */
function proven(tap) {
  const made = { ...tap };
  if (wants.includes('pin')) made.pin = proofText('pin');
  if (wasOffline) made.was_offline = true;
  if (photo) made.photo = photo;
  else if (wants.includes('photo') && proofText('no_photo_reason'))
    made.no_photo_reason = proofText('no_photo_reason');
  if (wants.includes('signature')) {
    made.signed_by = proofText('signed_by');
    made.signature = one('#proof canvas').toDataURL('image/jpeg', 0.8);
  }
  return made;
}

/** Shows the photo on its tile. */
async function showThumbnail() {
  const picture = one('#proof img');
  const [file] = one('#proof [name=photo]').files;
  photo = file ? await resizePicture(file).catch(() => null) : null;
  picture.hidden = !photo;
  if (photo) picture.src = photo;
  else picture.removeAttribute('src');
}

/**
 * Returns what is missing, or an empty text. Without a connection a PIN cannot be checked: a photo is required then, and a
 * reason does not replace it.
 */
async function proofFault() {
  if (wants.includes('pin') && proofText('pin') === '') return texts.enter_pin;
  if (wants.includes('signature') && proofText('signed_by') === '') return texts.enter_name;
  if (wants.includes('signature') && !isSigned) return texts.sign;
  const [file] = one('#proof [name=photo]').files;
  await showThumbnail();
  if (wants.includes('pin')) {
    showFault(texts.checking);
    wasOffline = !(await post([]).then(
      () => true,
      () => false,
    ));
    showWanted();
  }
  const mayLeaveOut = wants.includes('photo') && !wasOffline;
  const isComplete = photo || (mayLeaveOut ? proofText('no_photo_reason') !== '' : !wasOffline);
  if (isComplete) return '';
  if (file) return mayLeaveOut ? texts.bad_photo_or_reason : texts.bad_photo;
  return mayLeaveOut ? texts.photo_or_reason : texts.photo_for_pin;
}

/** Closes the dialog once nothing is missing, and the service has taken the PIN. */
async function checkProof() {
  if (isChecking) return;
  isChecking = true;
  const asked = wants;
  try {
    let fault = await proofFault();
    // The dialog may be about another handover by now.
    if (asked !== wants) return;
    if (!fault && wants.includes('pin') && !wasOffline) {
      showFault(texts.checking_pin);
      fault = await tryHandover();
      if (asked !== wants) return;
    }
    showFault(fault);
    if (!fault) one('#proof').close('ok');
  } finally {
    isChecking = false;
  }
}

/** A request may take 15 seconds: a picture of this many characters needs 64 kbit/s. */
const max_sent_length = 120000;

/** A JPEG, as small as the limit needs. */
async function resizePicture(file) {
  const picture = await createImageBitmap(file);
  const canvas = document.createElement('canvas');
  let data = '';
  for (const [pixels, quality] of [
    [1280, 0.7],
    [1280, 0.5],
    [960, 0.5],
    [640, 0.4],
  ]) {
    const scale = Math.min(1, pixels / Math.max(picture.width, picture.height));
    canvas.width = Math.round(picture.width * scale);
    canvas.height = Math.round(picture.height * scale);
    canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
    data = canvas.toDataURL('image/jpeg', quality);
    if (data.length <= max_sent_length) break;
  }
  return data;
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

document.addEventListener('submit', submitProof);

/** @param {any} event */
function submitProof(event) {
  if (event.target.parentElement.id !== 'proof' || event.submitter.value !== 'ok') return;
  event.preventDefault();
  checkProof();
}

one('#proof').addEventListener('click', chooseReason);

/** @param {any} event */
function chooseReason({ target }) {
  if (target.matches('[data-reason]')) one('[name=no_photo_reason]').value = target.textContent;
}

one('#proof [name=photo]').addEventListener('change', showThumbnail);

/** Not at the beginning of a touch: the fault takes room, and what is touched would move away. */
for (const kind of ['input', 'click']) {
  one('#proof').addEventListener(kind, ({ target }) => {
    if (!isChecking && (kind === 'input' || target.matches('canvas, [data-sign]'))) showFault('');
  });
}
