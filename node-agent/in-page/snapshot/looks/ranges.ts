/** What a field may be set to: the range of a number, the options of a select. */
import type { AnyElement } from '../../any-element.ts'

const rangedRoles = new Set(
  'slider spinbutton scrollbar meter date time month week datetime'.split(' '),
)
/** How many options of a select are listed. */
const optionsShown = 12

/** `0–10`, `0–10 by 2`, `1–` if only one end is known; empty if neither is. */
export function valueRangeOf(element: AnyElement, role: string): string {
  if (!rangedRoles.has(role)) return ''
  const given = (name: string, otherwise: string) =>
    element.getAttribute(name) ?? element.getAttribute(`aria-value${name}`) ?? otherwise
  const isBounded = element.localName === 'input' && element.type === 'range'
  const [min, max] = [given('min', isBounded ? '0' : ''), given('max', isBounded ? '100' : '')]
  if (min === '' && max === '') return ''
  const step = element.getAttribute('step') ?? '1'
  return `${min}–${max}${step === '1' || step === 'any' ? '' : ` by ${step}`}`
}

/** The options with what cannot be chosen, and the groups that they are in. */
export function optionsText(select: HTMLSelectElement): string {
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
  (group.getAttribute('label') ?? '') + (group.hasAttribute('disabled') ? ' (disabled)' : '')
