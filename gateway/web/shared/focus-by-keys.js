/** `/` and Ctrl-K lead to the field for searching. */
export function focusByKeys(field) {
  addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event
    const isSlash = key === '/' && !ctrlKey && !metaKey && !altKey && !isTyping(target)
    const isK = key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey
    if (!isSlash && !isK) return
    event.preventDefault()
    field.focus()
    field.select()
  })
}

const isTyping = (target) => target.closest?.('input, textarea, select, [contenteditable]') !== null
