/** `/` and Ctrl-K lead to the field for searching. */

const field = document.querySelector('#docs-search')

const isTyping = (target) => target.closest?.('input, textarea, select, [contenteditable]') !== null

addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, altKey, target } = event
  const isSlash = key === '/' && !ctrlKey && !metaKey && !altKey && !isTyping(target)
  const isK = key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey
  if (!isSlash && !isK) return
  event.preventDefault()
  field.focus()
  field.select()
})
