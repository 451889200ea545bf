/** The states and the value of an element, as a person sees them, and what a field may be set to. */
import type { AnyElement } from '../any-element.ts'
import { attributeOf, hasAttribute, matches, rootOf, styleOf } from '../dom.ts'
import { contentOf, squeeze } from './accessible-name.ts'
import { isEditable } from './roles.ts'

export function statesOf(element: AnyElement, role: string): string {
  const states: string[] = []
  const aria = (name: string) => attributeOf(element, `aria-${name}`)
  const checked =
    element.localName === 'input' ? element.indeterminate || element.checked : undefined
  if (role === 'checkbox' || role === 'radio' || role === 'switch' || role.startsWith('menuitem')) {
    if (element.indeterminate || aria('checked') === 'mixed') states.push('mixed')
    else if (checked ?? aria('checked') === 'true') states.push('checked')
  }
  if (matches(element, ':disabled') || aria('disabled') === 'true') states.push('disabled')
  // An unselected tab is collapsed anyway.
  const open = role === 'tab' && aria('selected') !== null ? undefined : openness(element)
  if (open !== undefined) states.push(open ? 'expanded' : 'collapsed')
  if (aria('selected') === 'true') states.push('selected')
  if (aria('pressed') === 'true') states.push('pressed')
  const current = aria('current')
  if (current && current !== 'false') states.push('current')
  if (element.required === true || aria('required') === 'true') states.push('required')
  if (aria('invalid') === 'true') states.push('invalid')
  if (element.readOnly && /^(input|textarea)$/.test(element.localName)) states.push('readonly')
  if (role === 'listbox' && element.multiple) states.push('multiple')
  if (rootOf(element).activeElement === element && element.localName !== 'body') {
    states.push('focused')
  }
  return states.join(' ')
}

function openness(element: Element): boolean | undefined {
  const given = attributeOf(element, 'aria-expanded')
  if (given === 'true' || given === 'false') return given === 'true'
  const parent: AnyElement | null = element.parentElement
  if (element.localName === 'summary' && parent?.localName === 'details') return parent.open
  return undefined
}

/** With the range that the value is in: `4 (0–10)`. */
export function valueOf(element: AnyElement, role: string): string {
  const [value, range] = [ownValue(element, role), valueRangeOf(element, role)]
  return range === '' ? value : `${value} (${range})`.trim()
}

function ownValue(element: AnyElement, role: string): string {
  if (isSelectBox(element)) return valueOfSelect(element)
  if (element.localName === 'input') {
    if (role === 'checkbox' || role === 'radio' || role === 'button') return ''
    if (element.type === 'file')
      return [...(element.files ?? [])].map(({ name }) => name).join(', ')
    return shownText(element)
  }
  if (element.localName === 'textarea') return shownText(element)
  if (isEditable(element)) return contentOf(element)
  if (element.localName === 'progress' || element.localName === 'meter')
    return String(element.value)
  const now = attributeOf(element, 'aria-valuetext') ?? attributeOf(element, 'aria-valuenow')
  if (now) return now
  return role === 'combobox' || role === 'textbox' ? contentOf(element) : ''
}

/** Of a password, and of what a style hides like one, a field shows dots. */
const shownText = (field: AnyElement) =>
  field.value && styleOf(field).getPropertyValue('-webkit-text-security') !== 'none'
    ? '••••'
    : (field.value ?? '')

export const isSelectBox = (element: Element): element is HTMLSelectElement =>
  element.localName === 'select'

/** The selected options, and the available ones. */
function valueOfSelect(select: HTMLSelectElement): string {
  const chosen = [...select.selectedOptions].map(({ label }) => squeeze(label)).join(', ')
  return `${chosen} (${optionsText(select)})`
}

const rangedRoles = new Set(
  'slider spinbutton scrollbar meter date time month week datetime'.split(' '),
)
/** How many options of a select are listed. */
const optionsShown = 12

/** `0–10`, `0–10 by 2`, `1–` if only one end is known; empty if neither is. */
function valueRangeOf(element: AnyElement, role: string): string {
  if (!rangedRoles.has(role)) return ''
  const given = (name: string, otherwise: string) =>
    attributeOf(element, name) ?? attributeOf(element, `aria-value${name}`) ?? otherwise
  const isBounded = element.localName === 'input' && element.type === 'range'
  const [min, max] = [given('min', isBounded ? '0' : ''), given('max', isBounded ? '100' : '')]
  if (min === '' && max === '') return ''
  const step = attributeOf(element, 'step') ?? '1'
  return `${min}–${max}${step === '1' || step === 'any' ? '' : ` by ${step}`}`
}

/** The options with what cannot be chosen, and the groups that they are in. */
function optionsText(select: HTMLSelectElement): string {
  const texts: string[] = []
  let around: Element | null = null
  for (const option of [...select.options].slice(0, optionsShown)) {
    const group = option.parentElement?.localName === 'optgroup' ? option.parentElement : null
    const isNew = group !== around
    if (isNew && around) texts.push(`${texts.pop()}]`)
    const open = isNew && group ? `${groupText(group)} [` : ''
    texts.push(`${open}${optionText(option)}`)
    around = group
  }
  if (around) texts.push(`${texts.pop()}]`)
  const more = select.options.length - optionsShown
  return `${texts.join(', ')}${more > 0 ? `, +${more}` : ''}`
}

const optionText = (option: HTMLOptionElement) =>
  option.label.replace(/\s+/g, ' ').trim() + (option.disabled ? ' (disabled)' : '')

const groupText = (group: Element) =>
  (attributeOf(group, 'label') ?? '') + (hasAttribute(group, 'disabled') ? ' (disabled)' : '')
