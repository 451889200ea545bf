/** Opens the list of pages on wide screens, and adds a copy button to each block of code. */
import { copyText } from '../shared/copying.js'

const list = document.querySelector('.docs-list')
const wide = matchMedia('(min-width: 52.01rem)')
const unfold = () => list?.toggleAttribute('open', wide.matches)
unfold()
wide.addEventListener('change', unfold)

for (const block of document.querySelectorAll('.prose pre')) {
  const box = document.createElement('div')
  box.className = 'code'
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', () => void copy(block, button))
  block.replaceWith(box)
  box.append(block, button)
}

/** Where copying is impossible, the text is selected for Ctrl+C instead. */
async function copy(block, button) {
  try {
    await copyText(block.textContent)
    button.textContent = 'Copied'
  } catch {
    getSelection().selectAllChildren(block)
    button.textContent = 'Selected'
  }
  setTimeout(() => (button.textContent = 'Copy'), 2_000)
}
