/** Copying to the clipboard, and buttons that do it for the element named by `data-copies`. */

/** The buttons are hidden without this script. */
export function offerCopies(root) {
  for (const button of root.querySelectorAll('[data-copies]')) {
    button.hidden = false
    button.addEventListener('click', () => void copy(button))
  }
}

async function copy(button) {
  const said = button.querySelector('[role=status]')
  try {
    await copyText(document.getElementById(button.dataset.copies).textContent)
    said.textContent = 'Copied'
  } catch {
    said.textContent = 'Could not copy. Select the text and copy it.'
  }
  button.classList.add('told')
  setTimeout(() => {
    said.textContent = ''
    button.classList.remove('told')
  }, 2_000)
}

/** On plain http off this machine, browsers offer no clipboard to scripts. */
export async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'hidden'
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (!isCopied) throw new Error('not copied')
}
