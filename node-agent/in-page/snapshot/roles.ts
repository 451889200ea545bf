/** The role of an element, its states and its value, as a person sees them. */
import type { AnyElement } from '../any-element.ts'
import { attributeOf, boxOf, hasAttribute, matches, rootOf } from '../dom.ts'
import { contentOf, squeeze } from './accessible-name.ts'

const inputRoles: Readonly<Record<string, string>> = {
  button: 'button',
  submit: 'button',
  reset: 'button',
  image: 'button',
  checkbox: 'checkbox',
  radio: 'radio',
  range: 'slider',
  number: 'spinbutton',
  search: 'searchbox',
  file: 'file',
  date: 'date',
  time: 'time',
  month: 'month',
  week: 'week',
  color: 'color',
  'datetime-local': 'datetime',
}
const tagRoles: Readonly<Record<string, string>> = {
  button: 'button',
  textarea: 'textbox',
  summary: 'button',
  canvas: 'canvas',
  video: 'video',
  audio: 'audio',
  iframe: 'frame',
  frame: 'frame',
  dialog: 'dialog',
  nav: 'navigation',
  fieldset: 'group',
  form: 'form',
  table: 'table',
  img: 'img',
  progress: 'progressbar',
  meter: 'meter',
  embed: 'object',
  object: 'object',
  option: 'option',
  section: 'region',
  ul: 'list',
  ol: 'list',
  menu: 'list',
  li: 'listitem',
  details: 'group',
  main: 'main',
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
}
export const roleNames = /^[a-z]+$/

export function roleOf(element: AnyElement): string {
  const given = attributeOf(element, 'role')
  if (given) {
    const role = given.trim().split(/\s+/)[0]!.toLowerCase()
    if (role === 'none' || role === 'presentation') return ''
    if (role === 'image') return 'img'
    if (role === 'textbox' && element.type === 'search') return 'searchbox'
    if (roleNames.test(role)) return role
  }
  const name = element.localName
  if (name === 'a' || name === 'area') return hasAttribute(element, 'href') ? 'link' : ''
  if (name === 'input')
    return element.type === 'hidden' ? '' : (inputRoles[element.type ?? ''] ?? 'textbox')
  if (name === 'select')
    return element.multiple || Number(element.size) > 1 ? 'listbox' : 'combobox'
  if (name === 'svg') return attributeOf(element, 'aria-label') ? 'img' : ''
  if (isEditable(element)) return 'textbox'
  return tagRoles[name] ?? ''
}

const isEditable = (element: Element) => {
  const given = attributeOf(element, 'contenteditable')
  return given !== null && given !== 'false'
}

/** Roles of elements that can be acted on. */
export const actRoles = new Set(
  (
    'button link checkbox radio combobox slider spinbutton searchbox textbox file date time month week color ' +
    'datetime option tab menuitem menuitemcheckbox menuitemradio treeitem switch canvas video audio frame ' +
    'object scrollbar'
  ).split(' '),
)
/** Roles whose name is their content. */
export const namedByContent = new Set(
  (
    'button link option tab menuitem menuitemcheckbox menuitemradio treeitem switch checkbox radio clickable ' +
    'heading tooltip'
  ).split(' '),
)
/** Fields get lines of their own. */
export const fieldRoles = new Set(
  'combobox listbox slider spinbutton searchbox textbox file date time month week color datetime'.split(
    ' ',
  ),
)
/** If they have a name, these get a line with their content below it. */
export const groupRoles = new Set(
  'group form region radiogroup toolbar menu menubar listbox tablist tree grid alert table'.split(
    ' ',
  ),
)

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
    if (element.type === 'password') return element.value ? '••••' : ''
    if (element.type === 'file')
      return [...(element.files ?? [])].map(({ name }) => name).join(', ')
    return element.value ?? ''
  }
  if (element.localName === 'textarea') return element.value ?? ''
  if (isEditable(element)) return contentOf(element)
  if (element.localName === 'progress' || element.localName === 'meter')
    return String(element.value)
  const now = attributeOf(element, 'aria-valuetext') ?? attributeOf(element, 'aria-valuenow')
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

/**
 * The widget in front of a select that is not displayed: the element beside it that shows what is
 * chosen.
 */
export function dressOf(select: HTMLSelectElement): Element | undefined {
  const chosen = (select.selectedOptions[0]?.label ?? '').trim()
  if (select.options.length < 2 || chosen === '') return undefined
  return [select.nextElementSibling, select.previousElementSibling].find(
    (beside): beside is Element =>
      beside !== null && (beside.textContent ?? '').includes(chosen) && boxOf(beside).height > 0,
  )
}
