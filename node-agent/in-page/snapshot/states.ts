/** Values and states of elements, as a person sees them. */
import type { AnyElement } from '../any-element.ts'
import { optionsText, valueRangeOf } from './looks/ranges.ts'
import { contentOf, squeeze } from './names.ts'
import { isEditable } from './roles.ts'
import { treeOf } from './tree.ts'

export function statesOf(element: AnyElement, role: string): string {
  const states: string[] = []
  const aria = (name: string) => element.getAttribute(`aria-${name}`)
  const checked =
    element.localName === 'input' ? element.indeterminate || element.checked : undefined
  if (role === 'checkbox' || role === 'radio' || role === 'switch' || role.startsWith('menuitem')) {
    if (element.indeterminate || aria('checked') === 'mixed') states.push('mixed')
    else if (checked ?? aria('checked') === 'true') states.push('checked')
  }
  if (element.matches(':disabled') || aria('disabled') === 'true') states.push('disabled')
  // An unselected tab is collapsed anyway.
  const open = role === 'tab' && aria('selected') !== null ? undefined : openness(element)
  if (open !== undefined) states.push(open ? 'expanded' : 'collapsed')
  if (aria('selected') === 'true') states.push('selected')
  if (aria('pressed') === 'true') states.push('pressed')
  const current = aria('current')
  if (current && current !== 'false') states.push('current')
  if (element.required || aria('required') === 'true') states.push('required')
  if (aria('invalid') === 'true') states.push('invalid')
  if (element.readOnly && /^(input|textarea)$/.test(element.localName)) states.push('readonly')
  if (role === 'listbox' && element.multiple) states.push('multiple')
  if (treeOf(element).activeElement === element && element.localName !== 'body') {
    states.push('focused')
  }
  return states.join(' ')
}

function openness(element: Element): boolean | undefined {
  const given = element.getAttribute('aria-expanded')
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
    if (element.type === 'password') return element.value ? '••••' : ''
    if (element.type === 'file')
      return [...(element.files ?? [])].map(({ name }) => name).join(', ')
    return element.value ?? ''
  }
  if (element.localName === 'textarea') return element.value ?? ''
  if (isEditable(element)) return contentOf(element)
  if (element.localName === 'progress' || element.localName === 'meter')
    return String(element.value)
  const now = element.getAttribute('aria-valuetext') ?? element.getAttribute('aria-valuenow')
  if (now) return now
  return role === 'combobox' || role === 'textbox' ? contentOf(element) : ''
}

export const isSelectBox = (element: Element): element is HTMLSelectElement =>
  element.localName === 'select'

/** The selected options, and the available ones. */
function valueOfSelect(select: HTMLSelectElement): string {
  const chosen = [...select.selectedOptions].map(({ label }) => squeeze(label)).join(', ')
  return `${chosen} (${optionsText(select)})`
}
