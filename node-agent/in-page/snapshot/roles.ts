/** Roles of elements. */
import type { AnyElement } from '../any-element.ts'
import { attributeOf, hasAttribute, rectOf } from '../dom.ts'

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

export const isEditable = (element: Element) => {
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

export const actable =
  'a[href], button, input, select, textarea, [onclick], [role=button], [role=link]'
/**
 * The widget in front of a select that is not displayed: the element beside it that shows what is
 * chosen.
 */
export function dressOf(select: HTMLSelectElement): Element | undefined {
  const chosen = (select.selectedOptions[0]?.label ?? '').trim()
  if (select.options.length < 2 || chosen === '') return undefined
  return [select.nextElementSibling, select.previousElementSibling].find(
    (beside): beside is Element =>
      beside !== null && (beside.textContent ?? '').includes(chosen) && rectOf(beside).height > 0,
  )
}
