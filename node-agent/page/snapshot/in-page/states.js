/* Values and states of elements, as a person sees them. */

function statesOf(element, role) {
  const states = []
  const aria = (name) => element.getAttribute(`aria-${name}`)
  const checked =
    element.localName === 'input' ? element.indeterminate || element.checked : undefined
  if (role === 'checkbox' || role === 'radio' || role === 'switch' || role.startsWith('menuitem')) {
    if (element.indeterminate || aria('checked') === 'mixed') states.push('mixed')
    else if (checked ?? aria('checked') === 'true') states.push('checked')
  }
  if (element.matches(':disabled') || aria('disabled') === 'true') states.push('disabled')
  const open = openness(element)
  if (open !== undefined) states.push(open ? 'expanded' : 'collapsed')
  if (aria('selected') === 'true') states.push('selected')
  if (aria('pressed') === 'true') states.push('pressed')
  const current = aria('current')
  if (current && current !== 'false') states.push('current')
  if (element.required || aria('required') === 'true') states.push('required')
  if (aria('invalid') === 'true') states.push('invalid')
  if (element.readOnly && /^(input|textarea)$/.test(element.localName)) states.push('readonly')
  if (role === 'listbox' && element.multiple) states.push('multiple')
  if (element.getRootNode().activeElement === element && element.localName !== 'body') {
    states.push('focused')
  }
  return states.join(' ')
}

function openness(element) {
  const given = element.getAttribute('aria-expanded')
  if (given === 'true' || given === 'false') return given === 'true'
  const parent = element.parentElement
  if (element.localName === 'summary' && parent?.localName === 'details') return parent.open
  return undefined
}

const optionsShown = 12

function valueOf(element, role) {
  if (element.localName === 'select') return valueOfSelect(element)
  if (element.localName === 'input') {
    if (role === 'checkbox' || role === 'radio' || role === 'button') return ''
    if (element.type === 'password') return element.value ? '••••' : ''
    if (element.type === 'file') return [...element.files].map(({ name }) => name).join(', ')
    return element.value
  }
  if (element.localName === 'textarea') return element.value
  if (isEditable(element)) return contentOf(element)
  if (element.localName === 'progress' || element.localName === 'meter')
    return String(element.value)
  const now = element.getAttribute('aria-valuetext') ?? element.getAttribute('aria-valuenow')
  if (now) return now
  return role === 'combobox' || role === 'textbox' ? contentOf(element) : ''
}

/** The selected options, and the available ones. */
function valueOfSelect(select) {
  const label = (option) => squeeze(option.label)
  const chosen = [...select.selectedOptions].map(label).join(', ')
  const shown = [...select.options].slice(0, optionsShown).map(label)
  const more = select.options.length - shown.length
  return `${chosen} (${shown.join(', ')}${more > 0 ? `, +${more}` : ''})`
}
