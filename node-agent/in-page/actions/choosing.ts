/** Selects options of a `select`, with the events that a user's choice causes. */
import type { AnyElement } from '../any-element.ts'
import { closestTo, matches } from '../dom.ts'
import { nextTask } from '../drawing.ts'

export type Chosen =
  | { readonly is: 'done' }
  | { readonly is: 'other'; readonly what: string }
  | { readonly is: 'single' }
  | { readonly is: 'disabled'; readonly value: string }
  | { readonly is: 'missing'; readonly value: string; readonly options: readonly string[] }

const isSelect = (element: Element | null | undefined): element is HTMLSelectElement =>
  element?.localName === 'select'

const collapsed = (text: string) => text.trim().replace(/\s+/g, ' ')

/** A label or an option stands for its select. Answers when the page has been told. Values take precedence over labels. */
export async function chooseOptions(
  this: AnyElement,
  values: readonly string[],
  listedMax: number,
): Promise<Chosen> {
  const select = this.localName === 'label' ? this.control : closestTo(this, 'select')
  if (!isSelect(select)) return { is: 'other', what: this.localName }
  if (values.length > 1 && !select.multiple) return { is: 'single' }
  const options = [...select.options]
  const chosen: HTMLOptionElement[] = []
  for (const value of values) {
    const option =
      options.find((one) => one.value === value) ??
      options.find((one) => collapsed(one.label) === collapsed(value))
    if (!option) {
      const labels = options.slice(0, listedMax).map(({ label }) => collapsed(label))
      return { is: 'missing', value, options: labels }
    }
    if (matches(option, ':disabled')) return { is: 'disabled', value }
    chosen.push(option)
  }
  // Without the focus, at which a widget around the select would open its list.
  for (const option of options) option.selected = chosen.includes(option)
  select.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
  select.dispatchEvent(new Event('change', { bubbles: true }))
  await nextTask()
  return { is: 'done' }
}
