// Offers passkeys if the browser supports them. Without this script, pages do not show them.
const refused = 'No passkey was used. Try again, or continue without one.'

export function offerPasskeys() {
  const known = globalThis.PublicKeyCredential
  if (!known?.parseRequestOptionsFromJSON || !known.prototype.toJSON) return
  for (const box of document.querySelectorAll('[data-needs-passkeys]')) box.hidden = false
  for (const box of document.querySelectorAll('[data-passkey]')) {
    box.hidden = false
    if (box.dataset.passkey === 'add') box.closest('form').addEventListener('submit', whenSent)
    else box.querySelector('button').addEventListener('click', () => void use(box))
  }

  function whenSent(event) {
    event.preventDefault()
    void use(event.target.querySelector('[data-passkey]'))
  }
}

/** Submits the form with the device's answer; if the device gave none, shows why and stays. */
async function use(box) {
  const [attempt, credential] = box.querySelectorAll('input[type=hidden]')
  const says = box.querySelector('[role=status]')
  says.textContent = ''
  try {
    const offer = await offerOf(box)
    attempt.value = offer.attempt ?? attempt.value
    credential.value = JSON.stringify(await ask(box.dataset.passkey, offer.options))
  } catch (error) {
    says.textContent =
      error.name === 'InvalidStateError' ? 'This device already has a passkey for you.' : refused
    return
  }
  box.closest('form').submit()
}

async function offerOf({ dataset }) {
  if (dataset.options) return { options: JSON.parse(dataset.options) }
  const body = new URLSearchParams({ for: dataset.passkey, form_token: dataset.token })
  const answer = await fetch('/portal/passkeys/options', { method: 'POST', body })
  if (!answer.ok) throw new Error(`${answer.status}`)
  return (await answer.json()).data
}

async function ask(what, options) {
  const known = PublicKeyCredential
  const made =
    what === 'add'
      ? navigator.credentials.create({ publicKey: known.parseCreationOptionsFromJSON(options) })
      : navigator.credentials.get({ publicKey: known.parseRequestOptionsFromJSON(options) })
  return (await made).toJSON()
}
